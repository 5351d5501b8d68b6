package io.dedup.kafka.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.kafka.internal.spring.PollResults;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The container was passed 5 to 9 and may have dropped them; a poll has brought 10 to 15 from behind them. */
@DisplayName("K17: what lies behind dropped records counts as dropped, but not as passed to the container")
class OutstandingRecordsTest {
    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);

    private final OutstandingRecords outstanding = new OutstandingRecords();

    private static List<ConsumerRecord<String, String>> list(long first, long last) {
        return LongStream.rangeClosed(first, last)
                .mapToObj(offset -> new ConsumerRecord<>("orders", 0, offset, "key", "value"))
                .toList();
    }

    private static ConsumerRecords<String, String> records(long first, long last) {
        return PollResults.of(Map.of(ORDERS, list(first, last)));
    }

    @BeforeEach
    void dropped() {
        outstanding.polled(records(5, 9));
        outstanding.suspectDrop();
        assertThat(outstanding.withoutThoseBehindDropped(records(10, 15))).isEmpty();
    }

    @Test
    void fetchedAgainWhenThoseBeforeThemAreFinished() {
        assertThat(outstanding.offsets()).isEqualTo(Map.of(ORDERS, 5L));
        outstanding.finished(list(5, 9));
        assertThat(outstanding.offsets()).isEqualTo(Map.of(ORDERS, 10L));
    }

    @Test
    void seekBehindWhatWasPassedDoesNotCount() {
        outstanding.sought(ORDERS, 10);
        assertThat(outstanding.offsets()).isEqualTo(Map.of(ORDERS, 5L));
        outstanding.sought(ORDERS, 9);
        assertThat(outstanding.offsets()).isEmpty();
    }

    @Test
    void endOfWhatWasPassed() {
        assertThat(outstanding.ends()).isEqualTo(Map.of(ORDERS, 10L));
    }

    @Test
    void whatIsRedeliveredReachesTheContainer() {
        ConsumerRecords<String, String> again = records(5, 7);
        assertThat(outstanding.withoutThoseBehindDropped(again)).isSameAs(again);
    }

    @Test
    @DisplayName("a poll of somebody else whose records cannot be given back doesn't hide what the container has")
    void notPassed() {
        outstanding.notPassed(records(16, 20));
        assertThat(outstanding.offsets()).isEqualTo(Map.of(ORDERS, 5L));
        outstanding.finished(list(5, 15));
        assertThat(outstanding.offsets()).isEqualTo(Map.of(ORDERS, 16L));
    }
}
