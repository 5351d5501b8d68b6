package io.dedup.spring.boot.internal.actuator;

import io.dedup.DedupKey;
import io.dedup.DedupMode;
import io.dedup.engine.StoredResult;
import io.dedup.spring.boot.internal.actuator.OperatorKeys.Found;
import io.dedup.spring.boot.internal.actuator.OperatorKeys.FoundScope;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.deduplicator.ServingDeduplicator;
import io.dedup.spring.boot.internal.outcome.OutcomeCounts;
import io.dedup.spring.boot.internal.plan.PlannedListener;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import io.dedup.spring.boot.internal.store.DedupStores;
import io.dedup.spring.boot.internal.text.SettingText;
import io.dedup.store.DedupStore;
import io.dedup.store.OperatorResult;
import io.dedup.store.StoredRecord;
import io.dedup.store.StuckQuery;
import io.dedup.store.StuckRecords;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * What operators look at and change. Reading only, unless {@code management.endpoint.dedup.access} is {@code unrestricted}.
 * Thread-safe.
 */
@Endpoint(id = "dedup", defaultAccess = Access.READ_ONLY)
public final class DedupEndpoint {
    private static final Logger log = LoggerFactory.getLogger("io.dedup");

    private static final Duration STUCK_OLDER_THAN = Duration.ofMinutes(5);
    private static final int STUCK_LIMIT = 100;

    private final DeduplicatorRegistry registry;
    private final DedupStores stores;
    private final OutcomeCounts counts;
    private final OperatorKeys keys;

    public DedupEndpoint(DeduplicatorRegistry registry, DedupStores stores, OutcomeCounts counts) {
        this.registry = registry;
        this.stores = stores;
        this.counts = counts;
        this.keys = new OperatorKeys(registry);
    }

    /** A topic of a listener. */
    record ListenerView(
            String listener,
            String broker,
            String scope,
            String id,
            String window,
            String mode,
            String policy,
            Map<String, Long> counts) {}

    /** A consumer. */
    record ConsumerView(String consumer, int inFlight, int completionsPending) {}

    /** Everything. */
    record DedupView(List<ListenerView> listeners, List<ConsumerView> consumers) {}

    /**
     * A record.
     *
     * @param instance whose claim it is, or was when its lease ran out; null where it was released or is done, where the
     *     instance has no name, and where the store doesn't keep it
     * @param claimedAt when the last claim was made; null of a record that is done, or whose claim wanted no fencing token
     * @param leaseRemaining of a record that is being processed
     * @param run what a {@link io.dedup.RunReference} said of the run that has done it, such as its trace
     * @param resultStored whether what the handler returned is kept for duplicates; most handlers return nothing
     */
    public record RecordView(
            String state,
            int attempt,
            int deaths,
            long fencingToken,
            @Nullable String instance,
            @Nullable Instant claimedAt,
            @Nullable Duration leaseRemaining,
            @Nullable Instant completedAt,
            @Nullable Instant expiresAt,
            @Nullable String run,
            boolean resultStored) {
        public static RecordView of(StoredRecord record) {
            StoredResult stored = StoredResult.decode(record.result());
            return new RecordView(
                    record.state().name(),
                    record.attempt(),
                    record.deaths(),
                    record.fencingToken(),
                    record.owner() == null ? null : record.owner().instance(),
                    record.claimedAt(),
                    record.state() == StoredRecord.State.PROCESSING ? record.leaseRemaining() : null,
                    record.completedAt(),
                    record.expiresAt(),
                    stored.firstRun(),
                    stored.result() != null);
        }
    }

    /**
     * A message that began and isn't done.
     *
     * @param id as a segment of a path
     */
    record StuckView(String id, RecordView record) {}

    /**
     * Messages that began and aren't done.
     *
     * @param complete whether these are all
     */
    record StuckList(boolean complete, List<StuckView> messages) {}

    /** What came of a command. */
    record CommandView(OperatorResult result) {}

    /** All listeners that are deduplicated. */
    @ReadOperation
    public DedupView all() {
        List<ListenerView> listeners = new ArrayList<>();
        for (DeduplicatedListener served : registry.listeners()) {
            PlannedListener listener = served.listener();
            Map<String, TopicPlan> plans = new LinkedHashMap<>(listener.byTopic());
            if (listener.byPattern() != null) {
                plans.put("/" + listener.spec().pattern() + "/", listener.byPattern());
            }
            plans.forEach((topic, plan) -> listeners.add(new ListenerView(
                    listener.spec().name(),
                    served.servedBy().broker(),
                    OperatorKeys.scope(listener.consumer(), topic),
                    plan.id().toString(),
                    SettingText.of(plan.policy().window()),
                    SettingText.of(plan.policy().mode()),
                    SettingText.of(plan.policy()),
                    counts.of(listener.consumer(), topic))));
        }
        Map<String, ConsumerView> consumers = new LinkedHashMap<>();
        for (ServingDeduplicator serving : registry.deduplicators()) {
            var engine = serving.deduplicator().engine();
            consumers.merge(
                    serving.deduplicator().consumer(),
                    new ConsumerView(serving.deduplicator().consumer(), engine.inFlight(), engine.pendingCompletions()),
                    (a, b) -> new ConsumerView(
                            a.consumer(),
                            a.inFlight() + b.inFlight(),
                            a.completionsPending() + b.completionsPending()));
        }
        return new DedupView(listeners, List.copyOf(consumers.values()));
    }

    /**
     * Messages of a scope that began and aren't done, the oldest claims first; null where there is no such scope.
     *
     * @param olderThan how long ago their last claim was made, at least; 5 minutes when it is left out
     * @param limit how many at most; 100 when it is left out, 1,000 at most
     */
    @ReadOperation
    public @Nullable StuckList stuck(@Selector String scope, @Nullable Duration olderThan, @Nullable Integer limit) {
        FoundScope found = keys.find(scope);
        if (found == null) {
            return null;
        }
        StuckQuery query;
        try {
            query = new StuckQuery(
                    found.scope(),
                    olderThan == null ? STUCK_OLDER_THAN : olderThan,
                    limit == null ? STUCK_LIMIT : limit);
        } catch (IllegalArgumentException e) {
            throw refused(e);
        }
        List<DedupStore> all = storesOf(found.plan().policy().mode());
        StuckRecords stuck;
        try {
            stuck = all.get(0).findStuck(query);
        } catch (UnsupportedOperationException e) {
            throw refused(e);
        }
        return new StuckList(
                stuck.complete(),
                stuck.records().stream()
                        .filter(each -> isUnknownTo(all.subList(1, all.size()), each.key(found.scope())))
                        .sorted(Comparator.comparingLong(each -> each.record().fencingToken()))
                        .map(each ->
                                new StuckView(OperatorKeys.segment(each.messageId()), RecordView.of(each.record())))
                        .toList());
    }

    /** What the stores have of an ID, by store; null where none has anything. */
    @ReadOperation
    public @Nullable Map<String, RecordView> record(@Selector String scope, @Selector String id) {
        Found found = keys.find(scope, id);
        if (found == null) {
            return null;
        }
        Map<String, RecordView> views = new LinkedHashMap<>();
        for (DedupStore store : storesOf(found.plan().policy().mode())) {
            Optional<StoredRecord> record = store.find(found.key());
            record.ifPresent(it -> views.put(store.name(), RecordView.of(it)));
        }
        return views.isEmpty() ? null : views;
    }

    /** Whether there is such a scope. */
    boolean knows(String scope) {
        return keys.find(scope) != null;
    }

    private static InvalidEndpointRequestException refused(RuntimeException e) {
        String reason = String.valueOf(e.getMessage());
        return new InvalidEndpointRequestException(reason, reason);
    }

    /**
     * In front of a table Redis has the leases, and the table what is done, and nothing else: a message that the table has is
     * done, though Redis may not have been told of it.
     */
    private static boolean isUnknownTo(List<DedupStore> tables, DedupKey key) {
        return tables.stream().allMatch(table -> table.find(key).isEmpty());
    }

    /**
     * The next copy of the message runs again.
     *
     * @param evenIfLeaseLive whether also while a handler may be running; false when it is left out
     */
    @DeleteOperation
    public @Nullable CommandView forget(
            @Selector String scope, @Selector String id, @Nullable Boolean evenIfLeaseLive) {
        Found found = keys.find(scope, id);
        if (found == null) {
            return null;
        }
        OperatorResult result =
                found.servedBy().deduplicator().forget(found.key(), Boolean.TRUE.equals(evenIfLeaseLive));
        log.info("Operator: forget {}: {}", found.key(), result);
        return new CommandView(result);
    }

    /**
     * Copies of the message are acked without an effect from now on, for its window.
     *
     * @param evenIfLeaseLive whether also while a handler may be running; false when it is left out
     */
    @WriteOperation
    public @Nullable CommandView forceDone(
            @Selector String scope, @Selector String id, @Nullable Boolean evenIfLeaseLive) {
        Found found = keys.find(scope, id);
        if (found == null) {
            return null;
        }
        OperatorResult result = forceDone(found, Boolean.TRUE.equals(evenIfLeaseLive));
        log.info("Operator: force done {}: {}", found.key(), result);
        return new CommandView(result);
    }

    /** In TIERED the store in front learns it from the table, as it does of what it has forgotten. */
    private OperatorResult forceDone(Found found, boolean evenIfLeaseLive) {
        List<DedupStore> all = storesOf(found.plan().policy().mode());
        boolean running = all.stream()
                .map(store -> store.find(found.key()))
                .anyMatch(record -> record.isPresent() && record.get().state() == StoredRecord.State.PROCESSING);
        return running && !evenIfLeaseLive
                ? OperatorResult.LEASE_LIVE
                : all.get(all.size() - 1)
                        .forceDone(found.key(), found.plan().policy().window(), evenIfLeaseLive);
    }

    /** Those that have records of a mode; the one that decides is the last. */
    private List<DedupStore> storesOf(DedupMode mode) {
        DedupStore claims = stores.store();
        if (mode == DedupMode.LEASED || mode == DedupMode.LEASED_TRANSACTIONAL) {
            return List.of(claims);
        }
        DedupStore table = stores.tableOrNull();
        if (table == null) {
            throw new InvalidEndpointRequestException(
                    "the records of mode " + SettingText.of(mode)
                            + " are in a TransactionalRecords bean, which can't be looked into",
                    "not supported");
        }
        return mode == DedupMode.TIERED ? List.of(claims, table) : List.of(table);
    }
}
