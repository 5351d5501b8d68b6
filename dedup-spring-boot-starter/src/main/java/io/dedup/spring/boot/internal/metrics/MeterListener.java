package io.dedup.spring.boot.internal.metrics;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.DuplicateDetails;
import io.dedup.policy.DedupPolicy;
import io.dedup.spring.boot.internal.outcome.OutcomeListener;
import io.dedup.step.StepOutcome;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Counts what happens to the messages of one deduplicator. IDs are never tags. Thread-safe. */
final class MeterListener extends OutcomeListener {
    static final String MESSAGES = "dedup.messages";
    static final String HANDLER = "dedup.handler";
    static final String STORE_CALLS = "dedup.store.calls";
    static final String STORE_ERRORS = "dedup.store.errors";
    static final String LEASES_LOST = "dedup.leases.lost";
    static final String PROCESSING_EXCEEDED = "dedup.processing.exceeded";
    static final String COMPLETIONS_DROPPED = "dedup.completions.dropped";
    static final String RESULTS_NOT_KEPT = "dedup.results.not.kept";
    static final String STEPS = "dedup.steps";
    static final String DUPLICATES = "dedup.duplicates";
    static final String DUPLICATE_AGE = "dedup.duplicate.age";
    static final String WINDOW_USED = "dedup.duplicate.window.used";

    private static final Duration[] AGES = {
        Duration.ofSeconds(1),
        Duration.ofSeconds(10),
        Duration.ofMinutes(1),
        Duration.ofMinutes(10),
        Duration.ofHours(1),
        Duration.ofHours(6),
        Duration.ofDays(1),
        Duration.ofDays(7),
        Duration.ofDays(30)
    };

    private static final List<String> FROM_ZERO = List.of(LEASES_LOST, PROCESSING_EXCEEDED, COMPLETIONS_DROPPED);
    private static final List<String> OUTCOMES_FROM_ZERO = List.of("unguarded", "missing_id", "conflict", "poison");

    private static final List<DuplicateCause> CAUSES_FROM_ZERO =
            List.of(DuplicateCause.RESENT, DuplicateCause.REPLAYED, DuplicateCause.REDELIVERED);

    /** Names are tags. An application that makes them of its data, such as mail-17, must not make a meter of each. */
    private static final int MAX_STEP_NAMES = 100;

    private final Set<String> topics = ConcurrentHashMap.newKeySet();
    private final Set<String> stepNames = ConcurrentHashMap.newKeySet();
    private final MeterRegistry registry;
    private final String consumer;
    private final Function<String, DedupPolicy> policies;
    private final WindowAdvisor advisor;

    MeterListener(
            MeterRegistry registry, String consumer, Function<String, DedupPolicy> policies, WindowAdvisor advisor) {
        this.registry = registry;
        this.consumer = consumer;
        this.policies = policies;
        this.advisor = advisor;
    }

    private Tags tags(String topic) {
        return tags(consumer, topic);
    }

    private static Tags tags(String consumer, String topic) {
        return Tags.of("consumer", consumer, "topic", topic);
    }

    /**
     * Registers the counters that have alerts, before the topic's first message. A counter that is only registered with its first
     * event shows no increase that an alert could detect: a backlog may be rejected between two scrapes.
     */
    static void begin(MeterRegistry registry, String consumer, String topic) {
        FROM_ZERO.forEach(meter -> registry.counter(meter, tags(consumer, topic)));
        CAUSES_FROM_ZERO.forEach(
                cause -> registry.counter(DUPLICATES, tags(consumer, topic).and("cause", cause.tag())));
        OUTCOMES_FROM_ZERO.forEach(
                outcome -> registry.counter(MESSAGES, tags(consumer, topic).and("outcome", outcome)));
    }

    /** For topics that were found by a pattern. */
    private void begin(String topic) {
        if (topics.add(topic)) {
            begin(registry, consumer, topic);
        }
    }

    @Override
    public void acquired(DedupKey key, int attempt) {
        begin(key.scope().topic());
    }

    @Override
    protected void count(String topic, String outcome) {
        begin(topic);
        registry.counter(MESSAGES, tags(topic).and("outcome", outcome)).increment();
    }

    private void countOnly(String meter, DedupKey key) {
        registry.counter(meter, tags(key.scope().topic())).increment();
    }

    @Override
    public void completed(DedupKey key, Duration handlerTime) {
        super.completed(key, handlerTime);
        if (key.scope().isDeadLetter()) {
            return; // another handler, whose time says nothing about the topic's
        }
        registry.timer(HANDLER, tags(key.scope().topic())).record(handlerTime);
    }

    @Override
    public void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {
        super.duplicate(key, completedAt, firstRun);
        String topic = key.scope().topic();
        Duration age = Duration.between(completedAt, Instant.now());
        age = age.isNegative() ? Duration.ZERO : age; // the store's clock may be ahead
        Timer.builder(DUPLICATE_AGE)
                .description("how long after the first message a duplicate arrived")
                .tags(tags(topic))
                .serviceLevelObjectives(AGES)
                .register(registry)
                .record(age);
        Duration window = policies.apply(topic).window().duration();
        if (window == null) {
            return;
        }
        double used = (double) age.toMillis() / window.toMillis();
        DistributionSummary.builder(WINDOW_USED)
                .description("age of duplicates as a fraction of the window; above 1 they aren't recognized")
                .tags(tags(topic))
                .serviceLevelObjectives(0.1, 0.25, 0.5, 0.75, 0.9, 1)
                .register(registry)
                .record(used);
        advisor.duplicate(consumer, topic, age, window);
    }

    @Override
    public void explained(DedupKey key, DuplicateDetails details) {
        if (!details.shadow() && !key.scope().isDeadLetter()) {
            registry.counter(
                            DUPLICATES,
                            tags(key.scope().topic())
                                    .and("cause", details.cause().tag()))
                    .increment();
        }
    }

    @Override
    public void completionDropped(DedupKey key) {
        countOnly(COMPLETIONS_DROPPED, key);
    }

    @Override
    public void leaseLost(DedupKey key) {
        countOnly(LEASES_LOST, key);
    }

    @Override
    public void maxProcessingTimeExceeded(DedupKey key) {
        countOnly(PROCESSING_EXCEEDED, key);
    }

    @Override
    public void resultNotKept(DedupKey key, int bytes) {
        countOnly(RESULTS_NOT_KEPT, key);
    }

    @Override
    public void step(DedupKey key, String name, StepOutcome outcome) {
        boolean known = stepNames.contains(name) || (stepNames.size() < MAX_STEP_NAMES && stepNames.add(name));
        registry.counter(STEPS, tags(key.scope().topic()).and("step", known ? name : "other", "outcome", outcome.tag()))
                .increment();
    }

    @Override
    public void storeCalled(String operation, int keys, Duration took) {
        registry.timer(STORE_CALLS, "consumer", consumer, "operation", operation)
                .record(took);
    }

    @Override
    public void storeError(String operation, DedupStoreException error) {
        registry.counter(STORE_ERRORS, "consumer", consumer, "operation", operation)
                .increment();
    }
}
