package io.dedup.kafka.internal.spring;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/** Creates results of a poll. Those of clients before 4.0 have no next offsets. */
public final class PollResults {
    private static final boolean WITH_NEXT_OFFSETS = Arrays.stream(ConsumerRecords.class.getConstructors())
            .anyMatch(constructor -> constructor.getParameterCount() == 2);

    private PollResults() {}

    public static <K, V> ConsumerRecords<K, V> of(Map<TopicPartition, List<ConsumerRecord<K, V>>> records) {
        return WITH_NEXT_OFFSETS ? new ConsumerRecords<>(records, Map.of()) : before4(records);
    }

    /** With the next offsets of another result. */
    public static <K, V> ConsumerRecords<K, V> of(
            Map<TopicPartition, List<ConsumerRecord<K, V>>> records, ConsumerRecords<K, V> like) {
        return WITH_NEXT_OFFSETS ? new ConsumerRecords<>(records, like.nextOffsets()) : before4(records);
    }

    @SuppressWarnings("deprecation")
    private static <K, V> ConsumerRecords<K, V> before4(Map<TopicPartition, List<ConsumerRecord<K, V>>> records) {
        return new ConsumerRecords<>(records);
    }
}
