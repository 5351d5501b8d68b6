package io.dedup.internal.direct;

import io.dedup.AsyncDedupHandler;
import io.dedup.BatchDedupHandler;
import io.dedup.DedupCall;
import io.dedup.DedupHandler;
import io.dedup.DedupKey;
import io.dedup.DedupOutcome;
import io.dedup.DedupTopic;
import io.dedup.Deduplicator;
import io.dedup.LiveLease;
import io.dedup.MissingMessageIdException;
import io.dedup.OperatorResult;
import io.dedup.adapter.AdapterSource;
import io.dedup.adapter.Admission;
import io.dedup.adapter.BatchAdmission;
import io.dedup.adapter.CallersTransaction;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.WaitBudget;
import io.dedup.internal.engine.DedupEngine;
import io.dedup.internal.engine.EngineSettings;
import io.dedup.internal.migration.DoneImport;
import io.dedup.internal.settings.DedupTopics;
import io.dedup.internal.thread.EngineThreads;
import io.dedup.migration.ImportReport;
import io.dedup.migration.ImportedId;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.privacy.Erasure;
import io.dedup.privacy.IdHashing;
import io.dedup.store.DedupStore;
import io.dedup.store.operator.ResettableStore;
import io.dedup.store.transaction.TransactionalRecords;
import io.dedup.text.Printable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs handlers with the engine, and provides the same engine to adapters. */
public final class DefaultDeduplicator implements Deduplicator, AdapterSource {
    private final DedupStore store;
    private final @Nullable TransactionalRecords records;
    private final DedupTopics topics;
    private final DedupEngine engine;
    private final Outcomes outcomes;
    private final EngineThreads threads;

    public DefaultDeduplicator(DedupTopics topics, EngineSettings settings) {
        this.store = settings.store();
        this.records = settings.records();
        this.topics = topics;
        this.engine = new DedupEngine(settings);
        this.threads = settings.threads();
        this.outcomes = new Outcomes(engine.results());
    }

    /** For others to share. */
    public EngineThreads threads() {
        return threads;
    }

    @Override
    public String consumer() {
        return topics.consumer();
    }

    @Override
    public DedupTopic topic(String name) {
        return topics.topic(name);
    }

    @Override
    public DedupAdapter adapter() {
        return engine;
    }

    @Override
    @SuppressWarnings("unchecked") // what the handler throws is an X, or unchecked
    public <R extends @Nullable Object, X extends Throwable> DedupOutcome<R> execute(
            DedupCall<R> call, DedupHandler<R, X> handler) throws X {
        DedupPolicy policy = policyOf(call.key());
        requireOutsideOfTransaction(call.key(), policy);
        WaitBudget budget = budget(policy);
        Admission admission = engine.admit(delivery(call), budget);
        if (!(admission instanceof Admission.Run run)) {
            return outcomes.notRun(admission, call);
        }
        DirectCall<R> direct = new DirectCall<>(call, handler, outcomes, policy.maxResultBytes());
        RunEnd end = engine.run(run.execution(), direct, budget);
        if (end instanceof RunEnd.Failed failed) {
            throw (X) failed.cause();
        }
        if (end instanceof RunEnd.NotHandled notHandled) {
            return outcomes.notRun(notHandled.admission(), call);
        }
        return new DedupOutcome.Handled<>(direct.value(), ((RunEnd.Handled) end).completion());
    }

    @Override
    public <R extends @Nullable Object> CompletionStage<DedupOutcome<R>> executeAsync(
            DedupCall<R> call, AsyncDedupHandler<R> handler) {
        DedupPolicy policy = policyOf(call.key());
        if (policy.mode().isTransactional()) {
            throw new IllegalArgumentException("executeAsync does not support mode " + policy.mode() + " (topic "
                    + Printable.of(call.key().scope().topic())
                    + "): a transaction is bound to one thread. Use execute, or mode LEASED");
        }
        requireOutsideOfTransaction(call.key(), policy);
        Admission admission = engine.admit(delivery(call), budget(policy));
        if (!(admission instanceof Admission.Run run)) {
            return CompletableFuture.completedStage(outcomes.notRun(admission, call));
        }
        return new AsyncRun<>(call, policy, run.execution(), outcomes, engine.settlements()).start(handler);
    }

    @Override
    public <T, X extends Throwable> List<DedupOutcome<@Nullable Void>> executeAll(
            List<T> items, Function<? super T, DedupKey> keyOf, BatchDedupHandler<T, X> handler) throws X {
        List<T> usable = new ArrayList<>(items.size());
        List<DedupKey> keys = new ArrayList<>(items.size());
        List<@Nullable DedupOutcome<@Nullable Void>> answers = new ArrayList<>(items.size());
        for (T item : items) {
            try {
                DedupKey key = keyOf.apply(item);
                requireOutsideOfTransaction(key, policyOf(key));
                keys.add(key);
                usable.add(item);
                answers.add(null); // until it has run
            } catch (MissingMessageIdException e) {
                answers.add(new DedupOutcome.Rejected<>(e));
            }
        }
        Iterator<DedupOutcome<@Nullable Void>> others = keys.isEmpty()
                ? Collections.emptyIterator()
                : runAll(usable, keys, handler).iterator();
        return answers.stream().map(each -> each == null ? others.next() : each).toList();
    }

    private <T, X extends Throwable> List<DedupOutcome<@Nullable Void>> runAll(
            List<T> items, List<DedupKey> keys, BatchDedupHandler<T, X> handler) throws X {
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
     * Only here, and not where the engine runs a handler: adapters settle in transactions of Kafka that they control. A
     * transactional mode is refused where its own transaction is opened.
     */
    private static void requireOutsideOfTransaction(DedupKey key, DedupPolicy policy) {
        if (!policy.mode().isTransactional() && !policy.shadow() && CallersTransaction.isOpen()) {
            throw CallersTransaction.refusal(
                    "A message of topic " + Printable.of(key.scope().topic()) + " was to be handled",
                    "Call the deduplicator outside of the transaction, and open it in the handler; or use mode"
                            + " TRANSACTIONAL, which opens one around the handler");
        }
    }

    @Override
    public OperatorResult forget(DedupKey key, LiveLease liveLease) {
        return engine.forget(hashed(key), policyOf(key).mode(), liveLease);
    }

    @Override
    public Erasure erase(String rawMessageId, LiveLease liveLease) {
        String problem = DedupKey.problemWith(rawMessageId);
        if (problem != null) {
            throw new IllegalArgumentException("messageId cannot be erased: " + problem);
        }
        IdHashing hashing = topics.hashing();
        String plain = DedupKey.stored(rawMessageId); // also of records from before IDs were hashed
        return engine.erase(hashing == null ? Set.of(plain) : Set.of(hashing.hash(rawMessageId), plain), liveLease);
    }

    @Override
    public ImportReport importDone(String topic, Stream<ImportedId> ids, Consumer<ImportReport> progress) {
        return DoneImport.of(topics.topic(topic), store, records, engine.results())
                .run(ids.iterator(), progress);
    }

    @Override
    public long resetFront() {
        if (!topics.anyIn(DedupMode.TIERED)) {
            throw new IllegalStateException("resetFront() needs mode TIERED, and no topic of consumer "
                    + Printable.of(topics.consumer()) + " uses it: store " + store.name()
                    + " holds the only records, and they are kept");
        }
        return ResettableStore.of(store).forgetAll();
    }

    private Delivery delivery(DedupKey key) {
        return delivery(DedupCall.of(key));
    }

    private Delivery delivery(DedupCall<?> call) {
        return new Delivery(
                topics.topic(call.key().scope()), hashed(call.key()), null, call.fingerprint(), () -> "a direct call");
    }

    /** A key that the caller made without this deduplicator may have a plain ID, which must not reach the store. */
    private DedupKey hashed(DedupKey key) {
        if (topics.hashing() != null
                && !IdHashing.isHash(key.messageId())
                && !key.scope().isDeadLetter()) {
            throw new IllegalArgumentException("idHashing is set, but the ID of a key in the scope of " + key.scope()
                    + " is not hashed: create keys with deduplicator.key(topic, id)");
        }
        return key;
    }

    private DedupPolicy policyOf(DedupKey key) {
        return topics.policy(key.scope().topic());
    }

    private static WaitBudget budget(DedupPolicy policy) {
        return WaitBudget.of(policy.inFlightWait());
    }

    @Override
    public void close() {
        closeAll(List.of(this));
    }

    /** Closes several deduplicators as {@link #close} closes one; their waits for running handlers overlap. */
    public static void closeAll(Collection<DefaultDeduplicator> several) {
        DedupEngine.closeAll(several.stream().map(each -> each.engine).toList());
    }
}
