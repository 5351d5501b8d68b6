package io.dedup.simulation;

import io.dedup.simulation.Circumstances.ErrorHandling;
import io.dedup.simulation.Circumstances.Place;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.CommonContainerStoppingErrorHandler;
import org.springframework.kafka.listener.CommonDelegatingErrorHandler;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.CommonLoggingErrorHandler;
import org.springframework.kafka.listener.CommonMixedErrorHandler;
import org.springframework.kafka.listener.ConsumerAwareRecordRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.util.backoff.FixedBackOff;

/** Error handlers of spring-kafka, and such as applications write. */
final class ErrorHandlers {
    /** What these get of the application's failures is given up without a retry. */
    static final Set<ErrorHandling> GIVE_UP_AT_ONCE =
            EnumSet.of(ErrorHandling.DELEGATES, ErrorHandling.SKIPS, ErrorHandling.LOGS, ErrorHandling.FORGETS);

    private ErrorHandlers() {}

    /** What the application does with a record and the consumer. */
    @FunctionalInterface
    interface RecordCall {
        void call(ConsumerRecord<?, ?> record, org.apache.kafka.clients.consumer.@Nullable Consumer<?, ?> consumer);
    }

    /**
     * @param recover is called with each record that the handler gives up
     * @param call is called with the first record that the handler gets
     */
    static CommonErrorHandler of(Circumstances circumstances, RecordCall recover, RecordCall call) {
        CommonErrorHandler handler = of(circumstances, recover);
        return circumstances.place() == Place.ERROR_HANDLER ? new Wrapper(handler, call) : handler;
    }

    private static CommonErrorHandler of(Circumstances circumstances, RecordCall recover) {
        long backOff = circumstances.errorHandling() == ErrorHandling.DEFAULT ? 0 : 1;
        ConsumerAwareRecordRecoverer recoverer = (record, consumer, exception) -> recover.call(record, consumer);
        DefaultErrorHandler standard =
                new DefaultErrorHandler(recoverer, new FixedBackOff(backOff, circumstances.retries()));
        Consumer<ConsumerRecord<?, ?>> giveUp = record -> recover.call(record, null);
        return switch (circumstances.errorHandling()) {
            case DEFAULT, DEFAULT_WITH_BACK_OFF -> standard;
            case KEEPS -> {
                standard.setSeekAfterError(false);
                yield standard;
            }
            case MIXED -> new CommonMixedErrorHandler(standard, standard);
            case DELEGATES -> {
                CommonDelegatingErrorHandler delegating = new CommonDelegatingErrorHandler(standard);
                delegating.setCauseChainTraversing(true);
                delegating.setErrorHandlers(new LinkedHashMap<>(Map.of(
                        IllegalStateException.class, new DefaultErrorHandler(recoverer, new FixedBackOff(0, 0)))));
                yield delegating;
            }
            case WRAPPED -> new Wrapper(standard, (record, consumer) -> {});
            case SKIPS -> new Skipping(giveUp);
            case LOGS -> new Logging(giveUp);
            case SEEKS -> new Seeking();
            case FORGETS -> new Forgetting(giveUp);
            case STOPS -> new CommonContainerStoppingErrorHandler();
        };
    }

    /** Written before {@code onPartitionsAssigned} existed, as applications have them. */
    private record Wrapper(CommonErrorHandler wrapped, RecordCall call) implements CommonErrorHandler {
        @Override
        public boolean seeksAfterHandling() {
            return wrapped.seeksAfterHandling();
        }

        @Override
        public void handleOtherException(
                Exception thrown,
                org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
                MessageListenerContainer container,
                boolean batchListener) {
            wrapped.handleOtherException(thrown, consumer, container, batchListener);
        }

        @Override
        public boolean handleOne(
                Exception thrown,
                ConsumerRecord<?, ?> record,
                org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
                MessageListenerContainer container) {
            call.call(record, consumer);
            return wrapped.handleOne(thrown, record, consumer, container);
        }

        @Override
        public void handleRemaining(
                Exception thrown,
                List<ConsumerRecord<?, ?>> records,
                org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
                MessageListenerContainer container) {
            if (!records.isEmpty()) {
                call.call(records.get(0), consumer);
            }
            wrapped.handleRemaining(thrown, records, consumer, container);
        }

        @Override
        public void handleBatch(
                Exception thrown,
                ConsumerRecords<?, ?> data,
                org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
                MessageListenerContainer container,
                Runnable invokeListener) {
            if (!data.isEmpty()) {
                call.call(data.iterator().next(), consumer);
            }
            wrapped.handleBatch(thrown, data, consumer, container, invokeListener);
        }

        @Override
        public <K, V> ConsumerRecords<K, V> handleBatchAndReturnRemaining(
                Exception thrown,
                ConsumerRecords<?, ?> data,
                org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
                MessageListenerContainer container,
                Runnable invokeListener) {
            if (!data.isEmpty()) {
                call.call(data.iterator().next(), consumer);
            }
            return wrapped.handleBatchAndReturnRemaining(thrown, data, consumer, container, invokeListener);
        }
    }

    private record Skipping(Consumer<ConsumerRecord<?, ?>> giveUp) implements CommonErrorHandler {
        @Override
        public boolean handleOne(
                Exception thrown,
                ConsumerRecord<?, ?> record,
                org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
                MessageListenerContainer container) {
            giveUp.accept(record);
            return true;
        }

        @Override
        public void handleBatch(
                Exception thrown,
                ConsumerRecords<?, ?> data,
                org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
                MessageListenerContainer container,
                Runnable invokeListener) {
            data.forEach(giveUp);
        }

        @Override
        public void handleOtherException(
                Exception thrown,
                org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
                MessageListenerContainer container,
                boolean batchListener) {}
    }

    private static final class Logging extends CommonLoggingErrorHandler {
        private final Consumer<ConsumerRecord<?, ?>> giveUp;

        Logging(Consumer<ConsumerRecord<?, ?>> giveUp) {
            this.giveUp = giveUp;
        }

        @Override
        public boolean handleOne(
                Exception thrown,
                ConsumerRecord<?, ?> record,
                org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
                MessageListenerContainer container) {
            giveUp.accept(record);
            return true;
        }

        @Override
        public void handleBatch(
                Exception thrown,
                ConsumerRecords<?, ?> data,
                org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
                MessageListenerContainer container,
                Runnable invokeListener) {
            data.forEach(giveUp);
        }
    }

    private record Forgetting(Consumer<ConsumerRecord<?, ?>> giveUp) implements CommonErrorHandler {
        @Override
        public boolean seeksAfterHandling() {
            return true;
        }

        @Override
        public void handleRemaining(
                Exception thrown,
                List<ConsumerRecord<?, ?>> records,
                org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
                MessageListenerContainer container) {
            records.stream().limit(1).forEach(giveUp);
        }

        @Override
        public void handleBatch(
                Exception thrown,
                ConsumerRecords<?, ?> data,
                org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
                MessageListenerContainer container,
                Runnable invokeListener) {
            data.forEach(giveUp);
        }

        @Override
        public void handleOtherException(
                Exception thrown,
                org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
                MessageListenerContainer container,
                boolean batchListener) {}
    }

    /** Seeks to the first of each partition, and tries without end. */
    private static final class Seeking implements CommonErrorHandler {
        @Override
        public boolean seeksAfterHandling() {
            return true;
        }

        @Override
        public void handleRemaining(
                Exception thrown,
                List<ConsumerRecord<?, ?>> records,
                org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
                MessageListenerContainer container) {
            seek(records, consumer);
            throw new IllegalStateException("sought back", thrown); // otherwise the container commits what failed
        }

        @Override
        public void handleBatch(
                Exception thrown,
                ConsumerRecords<?, ?> data,
                org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
                MessageListenerContainer container,
                Runnable invokeListener) {
            List<ConsumerRecord<?, ?>> records = new ArrayList<>();
            data.forEach(records::add);
            seek(records, consumer);
            throw new IllegalStateException("sought back", thrown);
        }

        @Override
        public void handleOtherException(
                Exception thrown,
                org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
                MessageListenerContainer container,
                boolean batchListener) {}

        private void seek(
                List<ConsumerRecord<?, ?>> records, org.apache.kafka.clients.consumer.Consumer<?, ?> consumer) {
            Map<TopicPartition, Long> first = new LinkedHashMap<>();
            records.forEach(
                    each -> first.putIfAbsent(new TopicPartition(each.topic(), each.partition()), each.offset()));
            first.forEach(consumer::seek);
        }
    }
}
