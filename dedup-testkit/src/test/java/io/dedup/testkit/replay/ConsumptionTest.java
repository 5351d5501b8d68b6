package io.dedup.testkit.replay;

import static io.dedup.testkit.replay.FakeTopic.GROUP;
import static io.dedup.testkit.replay.FakeTopic.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupKey;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When a report is made: not before the runs of acknowledged messages have ended. */
class ConsumptionTest {
    private static final DedupKey KEY = DedupScope.of(GROUP, TOPIC).key("a");
    private static final long SOON = 200;
    /** After effects would be taken for final. */
    private static final long LATE = 2_000;

    private final Timeline timeline = new Timeline();
    private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void close() {
        later.shutdownNow();
    }

    private void after(long millis, Runnable event) {
        var unused = later.schedule(event, millis, TimeUnit.MILLISECONDS);
    }

    private ReplayReport report() {
        FakeTopic topic = new FakeTopic(id -> {}).send("a");
        try (TopicReplay replay = new TopicReplay(topic, timeline, null, null, Duration.ofMinutes(1))) {
            return replay.report();
        }
    }

    private void handled() {
        timeline.acquired(KEY, 1);
        timeline.completed(KEY, Duration.ZERO);
    }

    @Test
    @DisplayName("a replay chooses its messages when the expected ones are on the topic, however late they come")
    void expectedLate() {
        for (boolean rewinding : List.of(false, true)) {
            List<String> delivered = new ArrayList<>();
            FakeTopic topic = new FakeTopic(delivered::add).sendLate(3, "a", "b");
            try (TopicReplay replay = new TopicReplay(topic, timeline, null, null, Duration.ofMinutes(1))) {
                Replay all = replay.expect(List.of("a", "b")).all();
                ReplayReport unused = rewinding ? all.byRewinding() : all.bySendingAgain();

                assertThat(delivered).containsExactly("a", "b", "a", "b");
            }
        }
    }

    @Test
    @DisplayName("without effects(...), a run that begins after the acknowledgment is counted")
    void lateRun() {
        handled();
        after(SOON, this::handled);

        ReplayReport report = report();

        assertThat(report.handled("a")).isEqualTo(2);
        assertThatThrownBy(() -> report.assertThat().handledOncePerId()).hasMessageContaining("more than once");
    }

    @Test
    @DisplayName("without effects(...), a run that hasn't ended is waited for, however long it is")
    void openRun() {
        handled();
        timeline.acquired(KEY, 1);
        after(LATE, () -> timeline.completed(KEY, Duration.ZERO));

        assertThat(report().handled("a")).isEqualTo(2);
    }

    @Test
    @DisplayName("with effects(...), a run that hasn't ended is waited for, because its effect may follow")
    void openRunWithEffects() {
        List<String> effects = new CopyOnWriteArrayList<>(List.of("a"));
        handled();
        timeline.acquired(KEY, 1);
        after(LATE, () -> {
            effects.add("a");
            timeline.completed(KEY, Duration.ZERO);
        });

        FakeTopic topic = new FakeTopic(id -> {}).send("a");
        try (TopicReplay replay = new TopicReplay(topic, timeline, null, () -> effects, Duration.ofMinutes(1))) {
            assertThat(replay.report().handled("a")).isEqualTo(2);
        }
    }

    @Test
    @DisplayName("a run that has lost its lease may end unseen, and isn't waited for; one that follows it is")
    void lostRun() {
        timeline.acquired(KEY, 1);
        timeline.leaseLost(KEY);
        assertThat(report().handled("a")).isEqualTo(1);

        timeline.deferred(KEY, DeferReason.LEASE_LOST, Duration.ZERO); // it has failed
        timeline.acquired(KEY, 2);
        after(LATE, () -> timeline.completed(KEY, Duration.ZERO));

        assertThat(report().timeline("a"))
                .last()
                .extracting(Timeline.Event::kind)
                .isEqualTo(Timeline.Kind.COMPLETED);
    }

    @Test
    @DisplayName("with effects(...), a run that has lost its lease is waited for until each run has its effect")
    void lostRunWithEffects() {
        List<String> effects = new CopyOnWriteArrayList<>(List.of("a"));
        timeline.acquired(KEY, 1);
        timeline.leaseLost(KEY);
        timeline.acquired(KEY, 2);
        timeline.completed(KEY, Duration.ZERO);
        after(LATE, () -> effects.add("a")); // nothing is reported of a success without a lease

        FakeTopic topic = new FakeTopic(id -> {}).send("a");
        try (TopicReplay replay = new TopicReplay(topic, timeline, null, () -> effects, Duration.ofMinutes(1))) {
            ReplayReport report = replay.report();
            assertThat(report.handled("a")).isEqualTo(2);
            assertThatThrownBy(() -> report.assertThat().handledOncePerId()).hasMessageContaining("more than once");
        }
    }

    @Test
    @DisplayName(
            "with effects(...), a run that has lost its lease and whose effect never comes is waited for until atMost")
    void lostRunWithoutItsEffect() {
        timeline.acquired(KEY, 1);
        timeline.leaseLost(KEY);
        handled();

        FakeTopic topic = new FakeTopic(id -> {}).send("a");
        try (TopicReplay replay = new TopicReplay(topic, timeline, null, () -> List.of("a"), Duration.ofMillis(LATE))) {
            long begin = System.nanoTime();
            assertThat(replay.report().handled("a")).isEqualTo(1);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofMillis(LATE));
        }
    }
}
