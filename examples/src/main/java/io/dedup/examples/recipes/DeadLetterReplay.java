package io.dedup.examples.recipes;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** docs/recipes/dead-letters.md: sends dead letters back to the topic that they come from. */
final class DeadLetterReplay {
    private DeadLetterReplay() {}

    // docs:begin
    /**
     * Sends back what the dead-letter topic holds now, and returns how many messages that is.
     *
     * @param connection bootstrap.servers, and what your broker needs besides
     */
    static int replay(Map<String, Object> connection, String deadLetterTopic, String topic)
            throws ExecutionException, InterruptedException {
        Map<String, Object> settings = new HashMap<>(connection);
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, "replay-of-" + deadLetterTopic);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false); // nothing is committed before it is sent
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
                var producer = new KafkaProducer<>(connection, new ByteArraySerializer(), new ByteArraySerializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(deadLetterTopic).stream()
                    .map(each -> new TopicPartition(deadLetterTopic, each.partition()))
                    .toList();
            int replayed = 0;
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions); // what fails again comes after them
            for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
                TopicPartition partition = end.getKey();
                List<Future<?>> sent = new ArrayList<>();
                consumer.assign(List.of(partition));
                while (consumer.position(partition) < end.getValue()) {
                    for (ConsumerRecord<byte[], byte[]> dead : consumer.poll(Duration.ofSeconds(1))) {
                        if (dead.offset() < end.getValue()) {
                            sent.add(producer.send(
                                    new ProducerRecord<>(topic, null, dead.key(), dead.value(), dead.headers())));
                        }
                    }
                }
                for (Future<?> each : sent) {
                    each.get(); // throws unless the broker has it
                }
                // The next replay begins here.
                consumer.commitSync(Map.of(partition, new OffsetAndMetadata(end.getValue())));
                replayed += sent.size();
            }
            return replayed;
        }
    }
    // docs:end
}
