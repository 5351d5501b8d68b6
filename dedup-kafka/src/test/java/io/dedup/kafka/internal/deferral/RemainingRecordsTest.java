package io.dedup.kafka.internal.deferral;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.kafka.Scene;
import io.dedup.kafka.SpringKafkaLine;
import io.dedup.kafka.internal.spring.PollResults;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.FixedBackOff;

/** What the container commits after a failure: everything in front of the first record that the error handler returns. */
class RemainingRecordsTest {
    private static final int PARTITIONS = 24;

    @Tag(SpringKafkaLine.TAG_4) // MockConsumer(String)
    @Test
    @DisplayName(
            "without a seek after an error, the first record that remains is the one that failed, on any partition")
    void inTheOrderOfThePoll() {
        try (Scene scene = new Scene();
                MockConsumer<String, String> consumer = new MockConsumer<>("earliest")) {
            var container = scene.container(AckMode.BATCH, (BatchMessageListener<String, String>) records -> {});
            DefaultErrorHandler handler = new DefaultErrorHandler((record, e) -> {}, new FixedBackOff(0, 5));
            handler.setSeekAfterError(false);
            container.setCommonErrorHandler(handler);
            scene.kafka.decorate(container);
            CommonErrorHandler decorated = container.getCommonErrorHandler();
            assertThat(decorated).isInstanceOf(DeferralAwareErrorHandler.class);
            for (int first = 0; first < PARTITIONS; first++) {
                Map<TopicPartition, List<ConsumerRecord<String, String>>> poll = new LinkedHashMap<>();
                for (int i = 0; i < PARTITIONS; i++) {
                    TopicPartition partition = new TopicPartition(scene.topic, (first + i) % PARTITIONS);
                    poll.put(partition, List.of(record(partition, 0), record(partition, 1)));
                }
                ConsumerRecords<String, String> records = PollResults.of(poll);
                ConsumerRecord<String, String> failed =
                        record(new TopicPartition(scene.topic, (first + 1) % PARTITIONS), 1);
                consumer.assign(poll.keySet());

                ConsumerRecords<String, String> remaining = decorated.handleBatchAndReturnRemaining(
                        new BatchListenerFailedException("for once", failed), records, consumer, container, () -> {});

                assertThat(remaining).hasSize(2 * PARTITIONS - 3);
                assertThat(remaining.iterator().next())
                        .extracting(Object::toString)
                        .isEqualTo(failed.toString());
            }
        }
    }

    private static ConsumerRecord<String, String> record(TopicPartition partition, long offset) {
        return new ConsumerRecord<>(partition.topic(), partition.partition(), offset, null, "v");
    }
}
