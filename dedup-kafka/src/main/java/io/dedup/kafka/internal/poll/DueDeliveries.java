package io.dedup.kafka.internal.poll;

import io.dedup.adapter.Delivery;
import io.dedup.kafka.internal.record.RecordDeliveries;
import java.util.Iterator;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.springframework.kafka.retrytopic.RetryTopicHeaders;

/** The deliveries of those polled records that reach the listener now, each made when it is asked for. */
record DueDeliveries(ConsumerRecords<?, ?> records, RecordDeliveries deliveries) implements Iterable<Delivery> {
    @Override
    public Iterator<Delivery> iterator() {
        return StreamSupport.stream(records.spliterator(), false)
                .filter(record -> !isDelayed(record))
                .map(this::delivery)
                .iterator();
    }

    private Delivery delivery(ConsumerRecord<?, ?> record) {
        return deliveries.of(record);
    }

    /**
     * The container may hold back a retry topic's record before it reaches the listener, and fetches it again later.
     */
    private static boolean isDelayed(ConsumerRecord<?, ?> record) {
        return record.headers().lastHeader(RetryTopicHeaders.DEFAULT_HEADER_BACKOFF_TIMESTAMP) != null;
    }
}
