package io.dedup.benchmarks.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TimelineTest {
    private final Timeline timeline = new Timeline();

    @Test
    void aMessageBelongsToTheTimeAtWhichItWasDue() {
        timeline.handled(10, 20);
        timeline.refused(20, 90, new IllegalStateException("no answer"));
        timeline.handled(20, 500);
        timeline.handled(100, 510);

        assertThat(timeline.between(0, 100).messages())
                .containsExactly(new Timeline.Message(10, 20), new Timeline.Message(20, 500));
        assertThat(timeline.between(0, 100).times().at(100)).isEqualTo(480);
        assertThat(timeline.between(0, 100).refused()).isEqualTo(1);
        assertThat(timeline.between(100, 200).refused()).isZero();
    }

    @Test
    void theLongestGapIsBetweenMessagesThatWereHandledOneAfterTheOther() {
        timeline.handled(0, 10);
        timeline.handled(5, 700);
        timeline.handled(6, 720);
        timeline.handled(4, 200);

        assertThat(timeline.longestGap(0)).isEqualTo(500);
        assertThat(timeline.longestGap(201)).isEqualTo(20);
    }

    @Test
    void aStoreThatNeverRecoversEndsTheLoad() {
        assertThatIllegalStateException()
                .isThrownBy(() ->
                        timeline.refused(0, Duration.ofMinutes(3).toNanos(), new IllegalStateException("no answer")));
    }
}
