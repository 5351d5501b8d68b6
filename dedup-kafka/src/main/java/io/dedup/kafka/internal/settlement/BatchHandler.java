package io.dedup.kafka.internal.settlement;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/** Calls the user's batch listener in the shape that it has. */
@FunctionalInterface
public interface BatchHandler<K, V> {
    void handle(List<ConsumerRecord<K, V>> part, @Nullable Acknowledgment acknowledgment);
}
