package io.dedup.engine;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupMode;
import io.dedup.DedupOutcome.Completion;
import io.dedup.RunReference;
import io.dedup.internal.SafeListeners;
import io.dedup.store.DedupStore;
import io.dedup.store.OperatorResult;
import io.dedup.store.TransactionalRecords;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Admits deliveries and closes their runs out. Claiming, running and completing are separate steps, so that an adapter
 * can claim many deliveries ahead and complete many at once.
 *
 * <p>Thread-safe; one for each consumer application. Doesn't own the store.
 */
public final class DedupEngine implements AutoCloseable {
    private final DedupStore store;
    private final Claimer claimer;
    private final Forgetting forgetting;
    private final Decider decider;
    private final BatchCopies copies;
    private final BackgroundWrites background;
    private final CloseOut closeOut;
    private final Transactions transactions;
    private final ClaimsAhead ahead;
    private final Results results;
    private final @Nullable TransactionalRecords records;
    private final Shutdown shutdown;
    private final Map<String, String> groups = new ConcurrentHashMap<>();

    /**
     * An engine with threads of its own.
     *
     * @param shortestLease of all policies that deliveries will come with; sets how often the heartbeat looks
     * @param shutdownTimeout how long {@link #close} waits for running handlers while it renews their leases
     */
    public DedupEngine(
            DedupStore store, List<DedupListener> listeners, Duration shortestLease, Duration shutdownTimeout) {
        this(store, null, null, listeners, null, shortestLease, shutdownTimeout);
    }

    /**
     * The same, for transactional modes as well.
     *
     * @param records opens the transactions; null where no policy wants one
     * @param instance what this process is called in the records of its claims; null for nothing
     * @param runReference what duplicates are told of the first run; null for nothing
     */
    public DedupEngine(
            DedupStore store,
            @Nullable TransactionalRecords records,
            @Nullable String instance,
            List<DedupListener> listeners,
            @Nullable RunReference runReference,
            Duration shortestLease,
            Duration shutdownTimeout) {
        this.store = Objects.requireNonNull(store, "store");
        this.records = records;
        SafeListeners<DedupListener> notifier = new SafeListeners<>(listeners);
        StoreGates gates = new StoreGates();
        StoreCalls calls = new StoreCalls(store, notifier, gates::ended);
        StoreCalls calmCalls = new StoreCalls(store, notifier, gates::endedInBackground);
        KnownSuccesses successes = new KnownSuccesses();
        this.claimer = new Claimer(calls, gates, successes, new Owners(instance));
        Heartbeat heartbeat = new Heartbeat(calmCalls, notifier, shortestLease);
        this.background = new BackgroundWrites(calmCalls, notifier, gates, successes);
        Handover handover = new Handover(successes, heartbeat, background);
        this.forgetting = new Forgetting(store, calls, background, heartbeat, successes, records, claimer::nextOwner);
        this.closeOut = new CloseOut(
                heartbeat,
                new Completions(calls, gates, notifier, background, successes),
                new Releases(calls, gates, notifier, heartbeat, background, handover),
                new RunReferences(runReference));
        Verdicts verdicts = new Verdicts(notifier, closeOut);
        this.decider = new Decider(notifier, heartbeat, background, closeOut, verdicts, handover);
        this.copies = new BatchCopies(notifier, decider);
        this.ahead = new ClaimsAhead(claimer, decider, closeOut, this::isClosed);
        this.results = new Results(notifier, store, records);
        this.transactions = new Transactions(
                records,
                notifier,
                decider,
                verdicts,
                closeOut.releases(),
                heartbeat,
                new Front(calls, heartbeat, background));
        this.shutdown = new Shutdown(store.name(), transactions, heartbeat, background, shutdownTimeout);
    }

    private boolean isClosed() {
        return shutdown.hasBegun();
    }

    /** Decides about one delivery; takes one round trip unless it is in flight elsewhere. */
    public Admission admit(Delivery delivery, WaitBudget budget) {
        if (isClosed()) {
            return decider.closed(delivery);
        }
        Admission admission = decide(delivery, budget);
        // close() looks for claims after it has set the flag, and this looks at the flag after its claim has joined
        // the heartbeat: one of the two sees the other.
        return isClosed() ? tooLate(List.of(delivery), List.of(admission)).get(0) : admission;
    }

    private Admission decide(Delivery delivery, WaitBudget budget) {
        DedupKey key = delivery.claimKey();
        if (key == null) {
            return decider.missingId(delivery);
        }
        if (delivery.topic().policy().mode() == DedupMode.TRANSACTIONAL) {
            return decider.decidedByRecord(delivery);
        }
        return decider.decide(claimer.claimPatiently(delivery, claimer.request(delivery, key), budget));
    }

    /** Claims deliveries before their turn. */
    public ClaimsAhead ahead() {
        return ahead;
    }

    /** Decides about a batch with one round trip for all of it; copies within the batch follow their first. */
    public BatchAdmission admitAll(List<Delivery> deliveries, WaitBudget budget) {
        if (isClosed()) {
            return new BatchAdmission(deliveries.stream().map(decider::closed).toList(), false);
        }
        BatchAdmission admission = new BatchAdmitter(claimer, decider, copies, closeOut, deliveries).admit(budget);
        return isClosed() && !admission.isolate()
                ? new BatchAdmission(tooLate(deliveries, admission.admissions()), false)
                : admission;
    }

    /** Takes back the permission to run, from all but those that are only watched. */
    private List<Admission> tooLate(List<Delivery> deliveries, List<Admission> admissions) {
        List<Admission> instead = new ArrayList<>(admissions.size());
        for (int i = 0; i < admissions.size(); i++) {
            Admission admission = admissions.get(i);
            boolean runs = admission instanceof Admission.Run || admission instanceof Admission.Follow;
            if (!runs || deliveries.get(i).isShadow()) {
                instead.add(admission);
                continue;
            }
            if (admission instanceof Admission.Run run) {
                run.execution().giveBack();
            }
            instead.add(decider.closed(deliveries.get(i)));
        }
        return instead;
    }

    /**
     * Runs a handler that was admitted, in a transaction where its mode asks for one, and closes its execution out.
     *
     * @param budget for waiting while another transaction handles the message, and for a store that can't be told
     */
    public RunEnd run(Execution execution, Work work, WaitBudget budget) {
        if (!execution.isTransactional()) {
            return runLeased(execution, work, budget);
        }
        TransactionalRun run = open(List.of(execution), true, budget);
        Admission admission = run.admissions().get(0);
        if (!(admission instanceof Admission.Run admitted)) {
            return new RunEnd.NotRun(admission);
        }
        byte[] result;
        try {
            admitted.execution().begin();
            result = work.run(admitted.execution());
        } catch (Throwable e) { // Errors, too: nobody else would end the transaction
            return run.fail(e);
        }
        return run.succeed(result);
    }

    private static RunEnd runLeased(Execution execution, Work work, WaitBudget budget) {
        byte[] result;
        try {
            execution.begin();
            result = work.run(execution);
        } catch (Throwable e) { // Errors, too: a claim that nobody releases holds the message for its lease
            return execution.fail(e) && !(e instanceof Error)
                    ? RunEnd.NotRun.failedWithoutClaim(execution, e)
                    : new RunEnd.Failed(e);
        }
        return new RunEnd.Handled(execution.succeed(result, budget));
    }

    /**
     * Opens one transaction on this thread for runs that were admitted, and asks the records of all of them with one
     * call. For batches; {@link #run} does it for a single one.
     *
     * @param executions whose {@link Execution#isTransactional()} is true
     * @param ordered whether nothing may run behind one that is deferred or rejected: those are given back
     */
    public TransactionalRun open(List<Execution> executions, boolean ordered, WaitBudget budget) {
        return transactions.open(executions, ordered, budget);
    }

    /** For what duplicates are answered with. */
    public Results results() {
        return results;
    }

    /** What opens the transactions of transactional modes; null where there is none. */
    public @Nullable TransactionalRecords records() {
        return records;
    }

    /** Completes many runs with one call; otherwise as {@link Execution#succeed}. Answers in order. */
    public List<Completion> succeedAll(List<Execution> executions, WaitBudget budget) {
        executions.forEach(Execution::requireNoTransaction);
        return closeOut.succeedAll(executions, budget);
    }

    /**
     * Releases many runs with one call; their attempts are given back where {@link Execution#begin} wasn't called.
     *
     * @param cause the handler's exception; null when no handler ran
     * @return whether any claim was lost before, see {@link Execution#fail}
     */
    public boolean failAll(List<Execution> executions, @Nullable Throwable cause) {
        return closeOut.releaseAll(executions, cause);
    }

    /**
     * Returns when what deliveries were deferred for takes writes: the store, the database of the transactions, or both.
     *
     * @throws io.dedup.store.DedupStoreException when it doesn't
     */
    public void ping() {
        boolean ofStore = decider.storeWasDown();
        if (transactions.isDown() || (!ofStore && records != null)) {
            transactions.ping();
        }
        if (ofStore || records == null) { // in front of a database, the store keeps nobody waiting
            store.ping();
            decider.storeAnswers();
        }
    }

    /** An operator's command, see {@link io.dedup.Deduplicator#forget}. */
    public OperatorResult forget(DedupKey key, DedupMode mode, boolean evenIfLeaseLive) {
        return forgetting.forget(key, mode, evenIfLeaseLive);
    }

    /**
     * Notes which consumer group reads a topic in this engine's name. A second group must not: each of the two would
     * take the messages that the other has handled for duplicates.
     *
     * @return the group that was noted first
     */
    public String firstGroup(String topic, String group) {
        String first = groups.putIfAbsent(topic, group);
        return first == null ? group : first;
    }

    /** How many claims are held and transactions open now; claims whose renewals and leases are over don't count. */
    public int inFlight() {
        return shutdown.inFlight();
    }

    /** How many successes wait to be recorded, because the store couldn't be told. */
    public int pendingCompletions() {
        return background.pendingCompletions();
    }

    /** How many successes and releases wait for an answer of the store. */
    public int pendingWrites() {
        return background.pendingWrites();
    }

    /**
     * Admits nothing any more, waits for running handlers while their leases are renewed, then stops the heartbeat and
     * goes on for a few seconds to record what the store couldn't be told.
     */
    @Override
    public void close() {
        closeAll(List.of(this));
    }

    /** Closes several as {@link #close} does one; they share the wait, which is as long as the longest of theirs. */
    public static void closeAll(Collection<DedupEngine> engines) {
        Shutdown.all(engines.stream().map(engine -> engine.shutdown).toList());
    }
}
