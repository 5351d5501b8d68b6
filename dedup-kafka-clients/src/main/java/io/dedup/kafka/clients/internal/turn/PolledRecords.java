package io.dedup.kafka.clients.internal.turn;

import io.dedup.kafka.id.KafkaDeliveries;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/** Lists polled records for their turns: partition by partition, each in the order of its offsets. */
public final class PolledRecords {
    private PolledRecords() {}

    public static <K, V> List<Polled<K, V>> of(ConsumerRecords<K, V> records, KafkaDeliveries deliveries) {
        List<Polled<K, V>> all = new ArrayList<>(records.count());
        for (TopicPartition partition : records.partitions()) {
            PolledPartition in = new PolledPartition(partition);
            for (ConsumerRecord<K, V> record : records.records(partition)) {
                all.add(new Polled<>(in, record, deliveries.of(record)));
            }
        }
        return all;
    }
}
