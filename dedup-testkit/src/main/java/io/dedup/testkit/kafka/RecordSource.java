package io.dedup.testkit.kafka;

import io.dedup.id.MessageIdExtractor;
import io.dedup.testkit.replay.TopicMessage;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** The records of a plan, each created once, so that its copies are identical. Thread-safe. */
final class RecordSource {
    private final IntFunction<ProducerRecord<byte[], byte[]>> maker;
    private final MessageIdExtractor<? super ConsumerRecord<byte[], byte[]>> ids;
    private final Map<Integer, ProducerRecord<byte[], byte[]>> made = new ConcurrentHashMap<>();

    RecordSource(
            IntFunction<ProducerRecord<byte[], byte[]>> maker,
            MessageIdExtractor<? super ConsumerRecord<byte[], byte[]>> ids) {
        this.maker = maker;
        this.ids = ids;
    }

    /** The topic of all records. */
    String topic() {
        return record(0).topic();
    }

    ProducerRecord<byte[], byte[]> record(int number) {
        ProducerRecord<byte[], byte[]> record = made.computeIfAbsent(number, maker::apply);
        if (number > 0 && !record.topic().equals(topic())) {
            throw new IllegalArgumentException("Record " + number + " goes to topic " + record.topic()
                    + ", but record 0 goes to " + topic() + ": all records of a plan must go to one topic");
        }
        return record;
    }

    @Nullable
    String id(int number) {
        ProducerRecord<byte[], byte[]> record = record(number);
        return TopicMessage.idOf(
                ids,
                new ConsumerRecord<>(
                        record.topic(),
                        0,
                        0,
                        ConsumerRecord.NO_TIMESTAMP,
                        TimestampType.NO_TIMESTAMP_TYPE,
                        ConsumerRecord.NULL_SIZE,
                        ConsumerRecord.NULL_SIZE,
                        record.key(),
                        record.value(),
                        record.headers(),
                        Optional.empty()));
    }

    MessageIdExtractor<? super ConsumerRecord<byte[], byte[]>> ids() {
        return ids;
    }
}
