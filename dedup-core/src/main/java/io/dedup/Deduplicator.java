package io.dedup;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.engine.Admission;
import io.dedup.engine.BatchAdmission;
import io.dedup.engine.DedupEngine;
import io.dedup.engine.Delivery;
import io.dedup.engine.Execution;
import io.dedup.engine.RunEnd;
import io.dedup.engine.WaitBudget;
import io.dedup.internal.Printable;
import io.dedup.store.DedupStore;
import io.dedup.store.OperatorResult;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs handlers once per business message ID: the idempotent consumer (Hohpe and Woolf, <i>Enterprise Integration
 * Patterns</i>, "Idempotent Receiver").
 *
 * <p>Usable on its own, for a broker without an adapter or for an HTTP handler; the broker modules stand on its
 * {@link #engine()}. Thread-safe; make one for each consumer name, and close it after the consumers have stopped. It
 * doesn't own its store.
 */
public final class Deduplicator implements AutoCloseable {
    private static final int ASYNC_THREADS = 4;
    private static final long ASYNC_THREAD_IDLE_SECONDS = 10;

    private final DedupStore store;
    private final DedupTopics topics;
    private final DedupEngine engine;
    private final Outcomes outcomes;
    private final ExecutorService closeOuts;

    Deduplicator(DedupStore store, DeduplicatorBuilder from) {
        this.store = store;
        this.topics = from.topics();
        this.engine = new DedupEngine(
                store,
                from.transactions(),
                from.instance(),
                from.listeners(topics),
                from.runReference(),
                from.shortestLease(),
                from.shutdownTimeout());
        this.outcomes = new Outcomes(engine.results());
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                ASYNC_THREADS,
                ASYNC_THREADS,
                ASYNC_THREAD_IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                work -> {
                    Thread thread = new Thread(work, "dedup-close-out-" + store.name());
                    thread.setDaemon(true);
                    return thread;
                },
                // After the end, on whatever thread completes the stage: better than a success that isn't recorded.
                (task, closedPool) -> task.run());
        pool.allowCoreThreadTimeOut(true);
        this.closeOuts = pool;
    }

    /** A builder of a deduplicator over this store; the store stays the caller's to close. */
    public static DeduplicatorBuilder builder(DedupStore store) {
        return new DeduplicatorBuilder(store);
    }

    /** The consumer name: listeners of different names never suppress each other. */
    public String consumer() {
        return topics.consumer();
    }

    /** The scope and the policy of a topic. */
    public DedupTopic topic(String name) {
        return topics.topic(name);
    }

    /** The steps of a delivery, for broker adapters. */
    public DedupEngine engine() {
        return engine;
    }

    /**
     * The key of a business message ID.
     *
     * @throws MissingMessageIdException when {@link DedupKey#problemWith} finds the ID unusable
     */
    public DedupKey key(String topic, @Nullable String rawMessageId) {
        return topic(topic).scope().key(rawMessageId);
    }

    /** As {@link #execute(DedupCall, DedupHandler)}, without a result for duplicates. */
    public <R extends @Nullable Object, X extends Throwable> DedupOutcome<R> execute(
            DedupKey key, DedupHandler<R, X> handler) throws X {
        return execute(DedupCall.of(key), handler);
    }

    /**
     * Runs the handler if this caller wins the claim, and records its success. Two round trips for a new message, one
     * for a duplicate; blocks for them, and up to {@code inFlightWait} for a message in flight elsewhere.
     *
     * <p>In a transactional mode, opens the transaction as well: the handler joins it. A thread that has one already
     * gets {@link DedupOutcome.Deferred}, and the log an error.
     *
     * @throws X what the handler throws, after its claim was released
     */
    public <R extends @Nullable Object, X extends Throwable> DedupOutcome<R> execute(
            DedupCall<R> call, DedupHandler<R, X> handler) throws X {
        DedupPolicy policy = policyOf(call.key());
        WaitBudget budget = budget(policy);
        Admission admission = engine.admit(delivery(call), budget);
        if (!(admission instanceof Admission.Run run)) {
            return outcomes.notRun(admission, call);
        }
        Execution execution = run.execution();
        if (execution.isTransactional()) {
            return executeInTransaction(call, handler, execution, budget);
        }
        R value;
        try {
            execution.begin();
            value = handler.handle(execution);
        } catch (Throwable e) { // Errors, too: a claim that nobody releases holds the message for its lease
            if (execution.fail(e)) {
                return new DedupOutcome.Deferred<>(DeferReason.LEASE_LOST, policy.maxDeferDelay(), e);
            }
            throw e;
        }
        Completion completion = execution.succeed(outcomes.encode(call, policy.maxResultBytes(), value), budget);
        return new DedupOutcome.Handled<>(value, completion);
    }

    @SuppressWarnings("unchecked") // what the handler throws is an X, or unchecked
    private <R extends @Nullable Object, X extends Throwable> DedupOutcome<R> executeInTransaction(
            DedupCall<R> call, DedupHandler<R, X> handler, Execution execution, WaitBudget budget) throws X {
        int maxResultBytes = policyOf(call.key()).maxResultBytes();
        AtomicReference<@Nullable R> value = new AtomicReference<>();
        RunEnd end = engine.run(
                execution,
                context -> {
                    R returned = handler.handle(context);
                    value.set(returned);
                    return outcomes.encode(call, maxResultBytes, returned);
                },
                budget);
        if (end instanceof RunEnd.Failed failed) {
            throw (X) failed.cause();
        }
        if (end instanceof RunEnd.NotRun notRun) {
            return outcomes.notRun(notRun.admission(), call);
        }
        return handled(value, ((RunEnd.Handled) end).completion());
    }

    @SuppressWarnings("NullAway") // null only where R takes null
    private static <R extends @Nullable Object> DedupOutcome<R> handled(
            AtomicReference<@Nullable R> value, Completion completion) {
        return new DedupOutcome.Handled<>(value.get(), completion);
    }

    /**
     * As {@link #execute(DedupCall, DedupHandler)} for work that ends with a stage. Claims on the calling thread, and
     * blocks it for that; records the end on a thread of its own.
     *
     * <p>A stage that is cancelled or times out may still be working: its claim isn't released, its lease runs out.
     * Cancelling what this returns changes nothing.
     *
     * @return ends after the store was told; fails as the handler or its stage does
     * @throws IllegalArgumentException in a transactional mode: a transaction belongs to one thread
     */
    public <R extends @Nullable Object> CompletionStage<DedupOutcome<R>> executeAsync(
            DedupCall<R> call, AsyncDedupHandler<R> handler) {
        DedupPolicy policy = policyOf(call.key());
        if (policy.mode().isTransactional()) {
            throw new IllegalArgumentException("mode " + policy.mode() + " of topic "
                    + Printable.of(call.key().scope().topic())
                    + " can't end with a stage: a transaction belongs to one thread. Use execute, or mode LEASED");
        }
        Admission admission = engine.admit(delivery(call), budget(policy));
        if (!(admission instanceof Admission.Run run)) {
            return CompletableFuture.completedStage(outcomes.notRun(admission, call));
        }
        return new AsyncRun<>(call, policy, run.execution(), outcomes, () -> budget(policy)).start(handler, closeOuts);
    }

    /**
     * Runs the handler with the new ones of a batch: one round trip to claim all, one to complete all. The batch
     * succeeds or fails as a whole; copies of an ID within it are handled once.
     *
     * <p>When some message of the batch was running as a process died and {@code maxDeaths} is set, the handler is
     * called with one item at a time instead, so that only the one that kills is charged.
     *
     * @return an outcome for each item, in order
     * @throws X what the handler throws, after all claims of that call were released
     */
    public <T, X extends Throwable> List<DedupOutcome<@Nullable Void>> executeAll(
            List<T> items, Function<? super T, DedupKey> keyOf, BatchDedupHandler<T, X> handler) throws X {
        if (items.isEmpty()) {
            return List.of();
        }
        List<DedupKey> keys = new ArrayList<>(items.size());
        for (T item : items) {
            keys.add(keyOf.apply(item));
        }
        WaitBudget budget = budget(policyOf(keys.get(0)));
        BatchRun<T> run = new BatchRun<>(engine, outcomes, this::policyOf, budget);
        BatchAdmission batch = engine.admitAll(keys.stream().map(this::delivery).toList(), budget);
        if (!batch.isolate()) {
            return run.run(items, keys, batch.admissions(), handler);
        }
        List<DedupOutcome<@Nullable Void>> answers = new ArrayList<>(items.size());
        for (int i = 0; i < items.size(); i++) {
            Admission admission = engine.admit(delivery(keys.get(i)), budget);
            answers.addAll(run.run(List.of(items.get(i)), List.of(keys.get(i)), List.of(admission), handler));
        }
        return answers;
    }

    /**
     * An operator's command: the next copy of the message runs again, whatever its mode. In mode TIERED, a store in front that
     * crashes before it has persisted this has the message as done again: then repeat it.
     *
     * <p>A handler without a lease isn't seen while it runs, since its record isn't visible before the commit: in mode
     * TRANSACTIONAL, and in mode TIERED when the store in front didn't answer as it began. Nothing is refused then, and
     * the handler commits as usual. So stop the topic's consumers first.
     *
     * @param evenIfLeaseLive whether also while a handler may be running; the two would run side by side
     * @return {@code LEASE_LIVE} when a handler may be running, by its lease: nothing is changed, except where it began
     *     during this call
     * @throws io.dedup.store.DedupStoreException when the store or the database doesn't answer: repeat it
     */
    public OperatorResult forget(DedupKey key, boolean evenIfLeaseLive) {
        return engine.forget(key, policyOf(key).mode(), evenIfLeaseLive);
    }

    /**
     * An operator's command for mode TIERED, after the database was put back to an earlier state: without it, the store in
     * front would take messages for done whose effect is gone. Stop the consumers before, all of them: this forgets whatever
     * the store has, also of topics in mode LEASED and of other consumers that share it, and those run again.
     *
     * @return how many records the store in front has forgotten
     * @throws io.dedup.store.DedupStoreException when it isn't certain that all are forgotten: call it again
     * @throws IllegalStateException when no topic is in mode TIERED: the store would be the only one to know
     */
    public long resetFront() {
        if (!topics.anyIn(DedupMode.TIERED)) {
            throw new IllegalStateException("resetFront() is for mode TIERED: store " + store.name() + " of consumer "
                    + Printable.of(topics.consumer()) + " isn't in front of anything");
        }
        return store.forgetAll();
    }

    private Delivery delivery(DedupKey key) {
        return delivery(DedupCall.of(key));
    }

    private Delivery delivery(DedupCall<?> call) {
        return new Delivery(
                topics.topic(call.key().scope()), call.key(), null, call.fingerprint(), () -> "a direct call");
    }

    private DedupPolicy policyOf(DedupKey key) {
        return topics.policy(key.scope().topic());
    }

    private static WaitBudget budget(DedupPolicy policy) {
        return WaitBudget.of(policy.inFlightWait());
    }

    /**
     * Admits nothing any more, waits for running handlers while their leases are renewed (at most
     * {@code shutdownTimeout}; not for those whose renewals and lease are over), and tries once more to record what the store couldn't be told.
     */
    @Override
    public void close() {
        closeAll(List.of(this));
    }

    /**
     * Closes several as {@link #close} does one. Their waits for running handlers overlap: together they take no longer than
     * the longest {@code shutdownTimeout} among them.
     */
    public static void closeAll(Collection<Deduplicator> several) {
        DedupEngine.closeAll(several.stream().map(Deduplicator::engine).toList());
        several.forEach(each -> each.closeOuts.shutdown());
    }
}
