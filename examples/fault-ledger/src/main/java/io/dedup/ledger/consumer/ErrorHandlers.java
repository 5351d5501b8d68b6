package io.dedup.ledger.consumer;

import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultAfterRollbackProcessor;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.FixedBackOff;

/** Poison goes to the dead letters; everything else is tried for ever. */
final class ErrorHandlers implements AutoCloseable {
    private static final long RETRY_MILLIS = 100;
    private static final long POISON_RETRIES = 2;
    /** More than a message fails that isn't poison. */
    private static final long BATCH_RETRIES = 20;

    private final String deadLetters;
    private final DefaultKafkaProducerFactory<String, String> producers;
    private final KafkaTemplate<String, String> template;
    private final DeadLetterPublishingRecoverer recoverer;

    ErrorHandlers(String bootstrap, String deadLetters) {
        this.deadLetters = deadLetters;
        producers = new DefaultKafkaProducerFactory<>(
                Map.of("bootstrap.servers", bootstrap), new StringSerializer(), new StringSerializer());
        template = new KafkaTemplate<>(producers);
        recoverer =
                new DeadLetterPublishingRecoverer(template, (record, failure) -> new TopicPartition(deadLetters, 0));
    }

    /** Outside of transactions. */
    KafkaTemplate<String, String> template() {
        return template;
    }

    /** Sends a record to the dead letters; returns when it is there. */
    Consumer<ConsumerRecord<?, ?>> deadLetters() {
        return record -> template.send(new ProducerRecord<String, String>(
                        deadLetters, 0, null, null, (String) record.value(), record.headers()))
                .join();
    }

    /** @param polls whether it polls before it decides */
    CommonErrorHandler handler(boolean polls) {
        return polls ? new PollingErrorHandler(handler()) : handler();
    }

    DefaultErrorHandler handler() {
        DefaultErrorHandler handler = new DefaultErrorHandler(recoverer, forEver());
        handler.setBackOffFunction(ErrorHandlers::backOff);
        return handler;
    }

    DefaultAfterRollbackProcessor<String, String> afterRollback(OutputProducers transactions, boolean batch) {
        // For a batch the processor doesn't ask which back-off the failure has.
        FixedBackOff backOff = batch ? new FixedBackOff(RETRY_MILLIS, BATCH_RETRIES) : forEver();
        DefaultAfterRollbackProcessor<String, String> processor =
                new DefaultAfterRollbackProcessor<>(recoverer, backOff, transactions.template(), true);
        processor.setBackOffFunction(ErrorHandlers::backOff);
        return processor;
    }

    /** Null for the one of the handler. */
    private static @Nullable BackOff backOff(ConsumerRecord<?, ?> record, Exception failure) {
        return NestedExceptionUtils.getMostSpecificCause(failure) instanceof PoisonException
                ? new FixedBackOff(RETRY_MILLIS, POISON_RETRIES)
                : null;
    }

    private static FixedBackOff forEver() {
        return new FixedBackOff(RETRY_MILLIS, FixedBackOff.UNLIMITED_ATTEMPTS);
    }

    @Override
    public void close() {
        producers.destroy();
    }
}
