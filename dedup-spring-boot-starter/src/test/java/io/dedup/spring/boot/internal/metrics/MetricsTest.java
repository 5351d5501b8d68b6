package io.dedup.spring.boot.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.policy.DedupPolicy;
import io.dedup.spring.boot.Logs;
import io.dedup.spring.boot.TestApp;
import io.dedup.spring.boot.internal.outcome.OutcomeCounts;
import io.dedup.step.StepOutcome;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MetricsTest {
    @Test
    void countsMessagesOfAnApplication() {
        MeterRegistry registry = TestApp.shared().getBean(MeterRegistry.class);
        TestApp.send("stuck", "m-1", "1");
        TestApp.send("stuck", "m-1", "2");
        TestApp.send("stuck", "m-2", "wait");
        await().until(() -> TestApp.handled("stuck").contains("wait"));

        try {
            assertThat(ofApp(registry, DedupMeters.IN_FLIGHT).gauge().value()).isPositive();
        } finally {
            TestApp.GATE.release();
        }

        Search ofTopic = in(registry, MeterListener.MESSAGES).tag("topic", TestApp.topic("stuck"));
        await().until(() -> ofTopic.tag("outcome", "handled").counter().count() >= 2);
        assertThat(in(registry, MeterListener.MESSAGES)
                        .tag("topic", TestApp.topic("stuck"))
                        .tag("outcome", "duplicate")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(in(registry, MeterListener.HANDLER)
                        .tag("topic", TestApp.topic("stuck"))
                        .timer()
                        .count())
                .isGreaterThanOrEqualTo(2);
        for (String operation : new String[] {"claim", "complete"}) {
            assertThat(in(registry, MeterListener.STORE_CALLS)
                            .tag("operation", operation)
                            .timer()
                            .count())
                    .isPositive();
        }
        assertThat(in(registry, MeterListener.WINDOW_USED)
                        .tag("topic", TestApp.topic("stuck"))
                        .summary()
                        .max())
                .isLessThan(0.5);
        assertThat(ofApp(registry, DedupMeters.COMPLETIONS_PENDING).gauge().value())
                .isZero();
    }

    @Test
    void countsStepsByNameButNotEachNameThatIsMadeOfData() {
        MeterRegistry registry = new SimpleMeterRegistry();
        var listener = new DedupMeters(registry, new WindowAdvisor(System::nanoTime))
                .of("billing", topic -> DedupPolicy.defaults());
        DedupKey key = DedupScope.of("billing", "orders").key("o-1");
        for (int i = 0; i < 300; i++) {
            listener.step(key, "mail-" + i, StepOutcome.RUN);
        }
        listener.step(key, "mail-0", StepOutcome.KEPT);

        assertThat(registry.find(MeterListener.STEPS).counters()).hasSize(102);
        assertThat(registry.find(MeterListener.STEPS)
                        .tags("consumer", "billing", "topic", "orders", "step", "other", "outcome", "run")
                        .counter()
                        .count())
                .isEqualTo(200);
        assertThat(registry.find(MeterListener.STEPS)
                        .tags("step", "mail-0", "outcome", "kept")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    /** K7: what every try has failed for isn't handled because the handler of dead letters has succeeded. */
    @Test
    void aDeadLetteredMessageIsNotCountedAsHandled() {
        TestApp.send("doomed", "d-good", "good");
        TestApp.send("doomed", "d-bad", "bad");
        TestApp.send("doomed", "d-bad", "bad copy");
        await().until(() -> TestApp.handled("dead letters").containsAll(List.of("bad", "bad copy")));

        Map<String, Long> expected = Map.of("handled", 1L, "failed", 6L, "dead_letter_handled", 2L);
        OutcomeCounts counts = TestApp.shared().getBean(OutcomeCounts.class);
        await().untilAsserted(() ->
                assertThat(counts.of("doomed", TestApp.topic("doomed"))).isEqualTo(expected));
        MeterRegistry registry = TestApp.shared().getBean(MeterRegistry.class);
        expected.forEach((outcome, times) -> assertThat(in(registry, MeterListener.MESSAGES)
                        .tag("topic", TestApp.topic("doomed"))
                        .tag("outcome", outcome)
                        .counter()
                        .count())
                .as(outcome)
                .isEqualTo(times.doubleValue()));
        assertThat(in(registry, MeterListener.HANDLER)
                        .tag("topic", TestApp.topic("doomed"))
                        .timer()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void warnsOnceAnHourOfDuplicatesCloseToTheEndOfTheWindow() {
        AtomicLong nanos = new AtomicLong();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        MeterListener listener = new MeterListener(
                registry,
                "billing",
                topic -> DedupPolicy.builder().window(Duration.ofHours(10)).build(),
                new WindowAdvisor(nanos::get));
        DedupKey key = DedupKey.of(DedupScope.of("billing", "orders"), "secret-id");

        try (Logs logs = new Logs()) {
            listener.duplicate(key, Instant.now().minus(Duration.ofHours(7)), null);
            assertThat(logs.warnings()).isEmpty();
            listener.duplicate(key, Instant.now().minus(Duration.ofHours(9)), null);
            listener.duplicate(key, Instant.now().minus(Duration.ofHours(9)), null);
            assertThat(logs.warnings()).hasSize(1);
            assertThat(logs.warnings().get(0))
                    .contains("make dedup.topics.\"[orders]\".window longer")
                    .doesNotContain("secret-id");
            nanos.addAndGet(Duration.ofHours(2).toNanos());
            listener.duplicate(key, Instant.now().minus(Duration.ofHours(9)), null);
            assertThat(logs.warnings()).hasSize(2);
        }

        assertThat(in(registry, MeterListener.WINDOW_USED).summary().max()).isBetween(0.89, 0.91);
        assertThat(in(registry, MeterListener.DUPLICATE_AGE).timer().count()).isEqualTo(4);
    }

    @Test
    void whatAlertsLookForBeginsAtZero() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        MeterListener listener = new MeterListener(
                registry, "billing", topic -> DedupPolicy.defaults(), new WindowAdvisor(System::nanoTime));
        listener.acquired(DedupKey.of(DedupScope.of("billing", "orders"), "a"), 1);

        for (String meter : List.of(
                MeterListener.LEASES_LOST, MeterListener.PROCESSING_EXCEEDED, MeterListener.COMPLETIONS_DROPPED)) {
            assertThat(in(registry, meter).tag("topic", "orders").counter().count())
                    .isZero();
        }
        assertThat(in(registry, MeterListener.MESSAGES)
                        .tag("outcome", "unguarded")
                        .counter()
                        .count())
                .isZero();
    }

    /** Of the consumer that most listeners belong to; the retried topic's has meters of its own. */
    private static Search ofApp(MeterRegistry registry, String meter) {
        return in(registry, meter).tag("consumer", TestApp.group());
    }

    private static Search in(MeterRegistry registry, String meter) {
        return registry.find(meter);
    }
}
