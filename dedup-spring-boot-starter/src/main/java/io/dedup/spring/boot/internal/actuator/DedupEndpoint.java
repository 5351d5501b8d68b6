package io.dedup.spring.boot.internal.actuator;

import io.dedup.DedupKey;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.adapter.DedupAdapter;
import io.dedup.report.CopiedMessage;
import io.dedup.report.DuplicationReport;
import io.dedup.report.DuplicationReports;
import io.dedup.report.TopicReport;
import io.dedup.report.WindowAdvice;
import io.dedup.spring.boot.internal.actuator.OperatorKeys.Found;
import io.dedup.spring.boot.internal.actuator.OperatorKeys.FoundScope;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.deduplicator.Served;
import io.dedup.spring.boot.internal.deduplicator.ServingDeduplicator;
import io.dedup.spring.boot.internal.outcome.OutcomeCounts;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import io.dedup.spring.boot.internal.store.DedupStores;
import io.dedup.spring.boot.internal.text.SettingText;
import io.dedup.store.operator.StuckQuery;
import io.dedup.store.operator.StuckRecords;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
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
 *
 * <p>What may be left out has Spring's annotation: Spring Boot 3.5 knows no other, and answers a request without it with 400.
 */
@Endpoint(id = "dedup", defaultAccess = Access.READ_ONLY)
@SuppressWarnings("deprecation")
public final class DedupEndpoint {
    private static final Logger log = LoggerFactory.getLogger("io.dedup");

    private static final Duration STUCK_OLDER_THAN = Duration.ofMinutes(5);
    private static final int STUCK_LIMIT = 100;

    private final DeduplicatorRegistry registry;
    private final DedupStores stores;
    private final OutcomeCounts counts;
    private final DuplicationReports reports;
    private final OperatorKeys keys;

    public DedupEndpoint(
            DeduplicatorRegistry registry, DedupStores stores, OutcomeCounts counts, DuplicationReports reports) {
        this.registry = registry;
        this.stores = stores;
        this.counts = counts;
        this.reports = reports;
        this.keys = new OperatorKeys(registry);
    }

    /** A topic of a listener, or of a path of requests. */
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

    /**
     * The duplicates of the last hours.
     *
     * @param windows by scope, what the distances of the copies say about the window
     * @param windowLengths by scope, unless the window is for ever; for those who merge reports
     */
    record ReportView(DuplicationReport report, Map<String, String> windows, Map<String, Duration> windowLengths) {}

    /** All listeners that are deduplicated. */
    @ReadOperation
    public DedupView all() {
        List<ListenerView> listeners = new ArrayList<>();
        for (Served served : registry.served()) {
            served.plans()
                    .forEach((topic, plan) -> listeners.add(new ListenerView(
                            served.name(),
                            served.servedBy().broker(),
                            OperatorKeys.scope(served.consumer(), topic),
                            plan.id().toString(),
                            SettingText.of(plan.policy().window()),
                            SettingText.of(plan.policy().mode()),
                            SettingText.of(plan.policy()),
                            counts.of(served.consumer(), topic))));
        }
        Map<String, ConsumerView> consumers = new LinkedHashMap<>();
        for (ServingDeduplicator serving : registry.deduplicators()) {
            var engine = DedupAdapter.of(serving.deduplicator());
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
    public @Nullable StuckList stuck(
            @Selector String scope,
            @org.springframework.lang.Nullable Duration olderThan,
            @org.springframework.lang.Nullable Integer limit) {
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
        RecordStores records = recordsOf(found.plan());
        StuckRecords stuck = records.findStuck(query);
        return new StuckList(
                stuck.complete(),
                stuck.records().stream()
                        .filter(each -> records.isUndecided(each.key(found.scope())))
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
        CopiedMessage copies = reports.copies(reported(found));
        recordsOf(found.plan())
                .find(found.key())
                .forEach((store, record) -> views.put(store, RecordView.of(record, copies)));
        return views.isEmpty() ? null : views;
    }

    /** Of a topic in shadow mode, reports have the key that its messages would have without. */
    private static DedupKey reported(Found found) {
        DedupKey key = found.key();
        return new DedupKey(
                found.servedBy()
                        .get(0)
                        .deduplicator()
                        .topic(key.scope().topic())
                        .scope(),
                key.messageId());
    }

    /**
     * The duplicates of the last hours; only this process's.
     *
     * @param hours from 1, which means since the last full hour, to 24
     * @param limit how many messages with copies to list at most
     */
    ReportView report(int hours, int limit) {
        DuplicationReport report;
        try {
            report = reports.report(hours, limit);
        } catch (IllegalArgumentException e) {
            throw refused(e);
        }
        Map<String, String> windows = new TreeMap<>();
        Map<String, Duration> lengths = new TreeMap<>();
        for (TopicReport topic : report.topics()) {
            String scope = OperatorKeys.scope(topic.consumer(), topic.topic());
            FoundScope found = keys.findOf(topic.consumer(), topic.topic());
            Duration window =
                    found == null ? null : found.plan().policy().window().duration();
            if (window == null) {
                continue;
            }
            lengths.put(scope, window);
            String advice = WindowAdvice.of(topic.distances(), window, hours);
            if (advice != null) {
                windows.put(scope, advice);
            }
        }
        return new ReportView(report, windows, lengths);
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
     * The next copy of the message runs again.
     *
     * @param evenIfLeaseLive whether also while a handler may be running; false when it is left out
     */
    @DeleteOperation
    public @Nullable CommandView forget(
            @Selector String scope, @Selector String id, @org.springframework.lang.Nullable Boolean evenIfLeaseLive) {
        Found found = keys.find(scope, id);
        if (found == null) {
            return null;
        }
        // Each has successes of its own that aren't stored yet.
        List<OperatorResult> results = found.servedBy().stream()
                .map(each -> each.deduplicator().forget(found.key(), liveLease(evenIfLeaseLive)))
                .toList();
        OperatorResult result = Stream.of(OperatorResult.LEASE_LIVE, OperatorResult.APPLIED)
                .filter(results::contains)
                .findFirst()
                .orElse(OperatorResult.ABSENT);
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
            @Selector String scope, @Selector String id, @org.springframework.lang.Nullable Boolean evenIfLeaseLive) {
        Found found = keys.find(scope, id);
        if (found == null) {
            return null;
        }
        OperatorResult result =
                recordsOf(found.plan()).forceDone(found.key(), found.plan().policy(), liveLease(evenIfLeaseLive));
        log.info("Operator: force done {}: {}", found.key(), result);
        return new CommandView(result);
    }

    private static LiveLease liveLease(@Nullable Boolean evenIfLeaseLive) {
        return Boolean.TRUE.equals(evenIfLeaseLive) ? LiveLease.OVERRIDE : LiveLease.RESPECT;
    }

    private RecordStores recordsOf(TopicPlan plan) {
        return RecordStores.of(stores, plan.policy().mode());
    }
}
