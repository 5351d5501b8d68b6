package io.dedup.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.MessagePlace;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What a group has fetched and committed")
class GroupProgressTest {
    private final GroupProgress<String> progress = new GroupProgress<>();
    private final Object consumer = new Object();

    @Test
    @DisplayName("is bounded: topics that come and go are forgotten, those that a consumer has are not")
    void bounded() {
        progress.fetched(consumer, "kept", 0, 9);
        progress.committed("kept", 10);
        for (int i = 0; i < 100_000; i++) {
            progress.fetched(consumer, "q" + i, 0, 9);
            progress.committed("q" + i, 10);
            progress.left("q" + i);
            progress.committed("never fetched " + i, 10);
        }
        assertThat(progress.size()).isLessThanOrEqualTo(10_000);
        assertThat(progress.known("kept").committed()).isEqualTo(10);
        progress.fetched(consumer, "kept", 5, 9); // sought back
        assertThat(progress.causeOf("kept", 5, false, -1)).isEqualTo(DuplicateCause.REPLAYED);
    }

    @Test
    @DisplayName("of another consumer's session proves a replay, whichever numbers somebody has stored")
    void hostileProof() {
        progress.fetched(consumer, "q", 5, 9);
        assertThat(progress.causeOf("q", 5, true, Long.MIN_VALUE)).isEqualTo(DuplicateCause.REDELIVERED);
        assertThat(progress.causeOf("unknown", 5, true, Long.MAX_VALUE)).isEqualTo(DuplicateCause.REDELIVERED);
        assertThat(progress.causeOf("q", 5, true, 5)).isEqualTo(DuplicateCause.REDELIVERED);
        assertThat(progress.causeOf("q", 5, true, 6)).isEqualTo(DuplicateCause.REPLAYED);
    }

    @Test
    @DisplayName("a place is shown escaped and limited in length, whatever a queue is called")
    void shown() {
        assertThat(new MessagePlace("q\n\u202e\"".repeat(100), 7, 1, 0).toString())
                .startsWith("q\\u000a\\u202e")
                .endsWith("…@7")
                .hasSizeLessThan(400);
        assertThat(new MessagePlace("orders-retry/3", 7, 1, 0)).hasToString("orders-retry/3@7");
    }
}
