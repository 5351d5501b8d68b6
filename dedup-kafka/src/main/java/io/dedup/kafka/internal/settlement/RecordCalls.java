package io.dedup.kafka.internal.settlement;

import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.spring.CurrentObservation;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/** What the decorated record listener does for a record that ends later than its call. */
public interface RecordCalls<K, V> {
    /** The run that may begin; null when the record is to be acked without one. */
    @Nullable
    Execution admitted(ConsumerRecord<K, V> record, Delivery delivery, BoundConsumer bound);

    /** Calls the user's listener. */
    void invoke(
            ConsumerRecord<K, V> record, @Nullable Acknowledgment acknowledgment, @Nullable Consumer<?, ?> consumer);

    /** What the container is told of a failure. */
    RuntimeException failed(ConsumerRecord<K, V> record, Throwable cause, boolean leaseLost, BoundConsumer bound);

    CurrentObservation observation();
}
