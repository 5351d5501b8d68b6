package io.dedup.spring.boot.internal.kafka.stream;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.integration.IntegrationMessageHeaderAccessor;
import org.springframework.kafka.listener.ConsumerRecordRecoverer;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.MessageHandlingException;
import org.springframework.messaging.support.ErrorMessage;
import org.springframework.messaging.support.GenericMessage;

/**
 * Sends messages that deduplication rejects to the error channel of their binding, from which the binder sends them to its dead-letter
 * topic.
 */
record StreamDeadLetters(MessageChannel errors, boolean batches) implements ConsumerRecordRecoverer {
    @Override
    public void accept(ConsumerRecord<?, ?> record, Exception rejection) {
        Object value = record.value();
        // The binder reads the message of the cause, and takes the record from the header.
        MessageHandlingException failure = new MessageHandlingException(
                new GenericMessage<>(value == null ? "" : value), "Rejected by deduplication", rejection);
        errors.send(new ErrorMessage(
                failure, Map.of(IntegrationMessageHeaderAccessor.SOURCE_DATA, batches ? List.of(record) : record)));
    }
}
