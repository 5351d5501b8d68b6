package io.dedup.ledger.consumer;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.ConsumerAwareListenerErrorHandler;
import org.springframework.kafka.listener.ListenerExecutionFailedException;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.messaging.Message;

/** Seeks back to what has failed and returns, as older manuals of spring-kafka showed it. Poison is left to the container. */
final class SeekingBack implements ConsumerAwareListenerErrorHandler {
    @Override
    @SuppressWarnings("NullAway") // null is what an error handler returns that has no reply
    public @Nullable Object handleError(
            Message<?> message, ListenerExecutionFailedException failure, @Nullable Consumer<?, ?> consumer) {
        if (NestedExceptionUtils.getMostSpecificCause(failure) instanceof PoisonException) {
            throw failure;
        }
        Consumer<?, ?> of = Objects.requireNonNull(consumer);
        if (message.getPayload() instanceof List<?> batch) {
            Set<TopicPartition> sought = new HashSet<>();
            for (Object each : batch.subList(failed(failure), batch.size())) {
                ConsumerRecord<?, ?> record = (ConsumerRecord<?, ?>) each;
                TopicPartition partition = new TopicPartition(record.topic(), record.partition());
                if (sought.add(partition)) {
                    of.seek(partition, record.offset());
                }
            }
        } else if (message.getPayload() instanceof ConsumerRecord<?, ?> record) {
            of.seek(new TopicPartition(record.topic(), record.partition()), record.offset());
        } else {
            of.seek(
                    new TopicPartition(
                            header(message, KafkaHeaders.RECEIVED_TOPIC, String.class),
                            header(message, KafkaHeaders.RECEIVED_PARTITION, Integer.class)),
                    header(message, KafkaHeaders.OFFSET, Long.class));
        }
        return null;
    }

    private static <T> T header(Message<?> message, String name, Class<T> type) {
        return Objects.requireNonNull(message.getHeaders().get(name, type));
    }

    private static int failed(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof BatchListenerFailedException named) {
                return named.getIndex();
            }
        }
        return 0;
    }
}
