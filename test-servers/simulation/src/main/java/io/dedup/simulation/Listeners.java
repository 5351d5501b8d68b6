package io.dedup.simulation;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupContext;
import io.dedup.simulation.Circumstances.Listening;
import io.dedup.simulation.Circumstances.OnFailure;
import io.dedup.simulation.Circumstances.Replay;
import io.dedup.simulation.Circumstances.StartMistake;
import io.dedup.simulation.kafka.SimulatedProducers;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.ConsumerSeekAware;
import org.springframework.kafka.listener.KafkaListenerErrorHandler;
import org.springframework.kafka.listener.ListenerExecutionFailedException;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;

/** The forms in which the application's listener is written. */
final class Listeners {

    private Listeners() {}

    /** Seeks by callbacks: in its handlers, when partitions are assigned, and when its container is idle. */
    abstract static class SeekAware implements ConsumerSeekAware {
        final Application application;

        SeekAware(Application application) {
            this.application = application;
        }

        @Override
        public final void registerSeekCallback(ConsumerSeekCallback callback) {
            application.seekCallback(callback);
        }

        @Override
        public final void onPartitionsAssigned(Map<TopicPartition, Long> assignments, ConsumerSeekCallback callback) {
            application.replay(Replay.ON_ASSIGNMENT, assignments, callback::seek);
        }

        @Override
        public final void onIdleContainer(Map<TopicPartition, Long> assignments, ConsumerSeekCallback callback) {
            application.replay(Replay.WHEN_IDLE, assignments, callback::seek);
        }
    }

    private static final class OfRecords extends SeekAware
            implements AcknowledgingConsumerAwareMessageListener<String, String> {
        OfRecords(Application application) {
            super(application);
        }

        @Override
        public void onMessage(
                ConsumerRecord<String, String> record,
                @Nullable Acknowledgment acknowledgment,
                @Nullable Consumer<?, ?> consumer) {
            application.handle(record, acknowledgment, consumer);
        }
    }

    /** One that can do nothing at its record's turn: it may be called before that. */
    private record OfPlainRecords(Application application) implements MessageListener<String, String> {
        @Override
        public void onMessage(ConsumerRecord<String, String> record) {
            application.handle(record, null, null);
        }
    }

    /** The same as an annotated method. */
    record PlainMethods(Application application) {
        /** Handles one record. */
        public void record(ConsumerRecord<String, String> record) {
            application.handle(record, null, null);
        }
    }

    private static final class OfBatches extends SeekAware
            implements BatchAcknowledgingConsumerAwareMessageListener<String, String> {
        OfBatches(Application application) {
            super(application);
        }

        @Override
        public void onMessage(
                List<ConsumerRecord<String, String>> batch,
                @Nullable Acknowledgment acknowledgment,
                @Nullable Consumer<?, ?> consumer) {
            application.handle(batch, acknowledgment, consumer);
        }
    }

    /** The methods of an annotated listener. */
    static final class Methods extends SeekAware {
        Methods(Application application) {
            super(application);
        }

        /** Handles one record. */
        public void record(ConsumerRecord<String, String> record, Consumer<?, ?> consumer) {
            application.handle(record, null, consumer);
        }

        /** Handles one record, and answers. */
        @SendTo(SimulatedProducers.REPLIES)
        public @Nullable String reply(ConsumerRecord<String, String> record, Consumer<?, ?> consumer) {
            return application.handles(record, null, consumer) ? record.value() : null;
        }

        /** Handles one record, acknowledges it, and answers. */
        @SendTo(SimulatedProducers.REPLIES)
        public @Nullable String manualReply(
                ConsumerRecord<String, String> record, Consumer<?, ?> consumer, Acknowledgment acknowledgment) {
            return application.handles(record, acknowledgment, consumer) ? record.value() : null;
        }

        /** Handles a batch. */
        public void batch(List<ConsumerRecord<String, String>> batch, Consumer<?, ?> consumer) {
            application.handle(batch, null, consumer);
        }

        /** Handles one record. */
        public void manualRecord(
                ConsumerRecord<String, String> record, Consumer<?, ?> consumer, Acknowledgment acknowledgment) {
            application.handle(record, acknowledgment, consumer);
        }

        /** Handles a batch. */
        public void manualBatch(
                List<ConsumerRecord<String, String>> batch, Consumer<?, ?> consumer, Acknowledgment acknowledgment) {
            application.handle(batch, acknowledgment, consumer);
        }

        /** Begins to handle one record. */
        public CompletableFuture<@Nullable Void> future(ConsumerRecord<String, String> record) {
            return application.begin(record);
        }

        /** A batch has no single context: must be refused. */
        public void contextOfABatch(List<String> batch, DedupContext context) {
            if (!batch.isEmpty()) {
                throw new IllegalStateException("called with " + batch + " and " + context);
            }
        }
    }

    /** One that handles a record, of the topic or of a retry topic. */
    static final class RetriedAtOnce extends SeekAware {
        RetriedAtOnce(Application application) {
            super(application);
        }

        /** Handles one record. */
        @KafkaListener(id = Run.CONTAINER, groupId = "group", topics = Run.TOPIC)
        public void record(ConsumerRecord<String, String> record, Consumer<?, ?> consumer) {
            application.handle(record, null, consumer);
        }

        /** Handles a record that could not be handled. */
        public void dead(ConsumerRecord<String, String> record) {
            application.dead(record);
        }
    }

    /** One that begins to handle a record. */
    static final class RetriedLater extends SeekAware {
        RetriedLater(Application application) {
            super(application);
        }

        /** Begins to handle one record. */
        @KafkaListener(id = Run.CONTAINER, groupId = "group", topics = Run.TOPIC)
        public CompletableFuture<@Nullable Void> future(ConsumerRecord<String, String> record) {
            return application.begin(record);
        }

        /** Handles a record that could not be handled. */
        public void dead(ConsumerRecord<String, String> record) {
            application.dead(record);
        }
    }

    static SeekAware retried(Circumstances circumstances, Application application) {
        return circumstances.listening() == Listening.FUTURE
                ? new RetriedLater(application)
                : new RetriedAtOnce(application);
    }

    static Object object(Circumstances circumstances, Application application) {
        if (isPlain(circumstances)) {
            return new OfPlainRecords(application);
        }
        return circumstances.batch() ? new OfBatches(application) : new OfRecords(application);
    }

    private static boolean isPlain(Circumstances circumstances) {
        return circumstances.spansPoll() && circumstances.mistake() == StartMistake.NONE;
    }

    /** An annotated method as a listener of a container. */
    static MethodKafkaListenerEndpoint<String, String> endpoint(Circumstances circumstances, Application application) {
        String name = methodName(circumstances);
        MethodKafkaListenerEndpoint<String, String> endpoint = new MethodKafkaListenerEndpoint<>();
        Object bean = isPlain(circumstances) ? new PlainMethods(application) : new Methods(application);
        endpoint.setBean(bean);
        endpoint.setMethod(Arrays.stream(bean.getClass().getDeclaredMethods())
                .filter(method -> method.getName().equals(name))
                .findFirst()
                .orElseThrow());
        DefaultMessageHandlerMethodFactory methods = new DefaultMessageHandlerMethodFactory();
        methods.afterPropertiesSet();
        endpoint.setMessageHandlerMethodFactory(methods);
        if (circumstances.onFailure() == OnFailure.ERROR_HANDLER_SEEKS_BACK) {
            endpoint.setErrorHandler(new SeekingListenerErrorHandler());
        }
        return endpoint;
    }

    private static String methodName(Circumstances circumstances) {
        if (circumstances.listening() == Listening.FUTURE) {
            return "future";
        }
        if (circumstances.mistake() == StartMistake.CONTEXT_OF_A_BATCH && circumstances.refusal() != null) {
            return "contextOfABatch";
        }
        if (circumstances.replies()) {
            return circumstances.isManual() ? "manualReply" : "reply";
        }
        if (circumstances.isManual()) {
            return circumstances.batch() ? "manualBatch" : "manualRecord";
        }
        return circumstances.batch() ? "batch" : "record";
    }

    private static final class SeekingListenerErrorHandler implements KafkaListenerErrorHandler {
        @Override
        public Object handleError(Message<?> message, ListenerExecutionFailedException exception) {
            throw exception;
        }

        @Override
        @SuppressWarnings("NullAway") // null is what an error handler returns that has no reply
        public @Nullable Object handleError(
                Message<?> message, ListenerExecutionFailedException exception, @Nullable Consumer<?, ?> consumer) {
            if (message.getPayload() instanceof ConsumerRecord<?, ?> record) {
                requireNonNull(consumer).seek(Application.partition(record), record.offset());
            } else { // where it is needed for a reply, the message is converted
                TopicPartition partition = new TopicPartition(
                        header(message, KafkaHeaders.RECEIVED_TOPIC, String.class),
                        header(message, KafkaHeaders.RECEIVED_PARTITION, Integer.class));
                requireNonNull(consumer).seek(partition, header(message, KafkaHeaders.OFFSET, Long.class));
            }
            return null;
        }

        private static <T> T header(Message<?> message, String name, Class<T> type) {
            return requireNonNull(message.getHeaders().get(name, type), name);
        }
    }
}
