package io.dedup.simulation;

import static java.util.Objects.requireNonNull;

import io.dedup.simulation.Circumstances.Interception;
import io.dedup.simulation.Circumstances.Listening;
import io.dedup.simulation.Circumstances.OnFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchInterceptor;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.DefaultAfterRollbackProcessor;
import org.springframework.kafka.listener.KafkaListenerErrorHandler;
import org.springframework.kafka.listener.ListenerExecutionFailedException;
import org.springframework.kafka.listener.RecordInterceptor;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;
import org.springframework.util.backoff.FixedBackOff;

/** The application whose listener is deduplicated, as the circumstances draw it, and what it has done. */
final class Application {
    private final Circumstances circumstances;
    private final Consumer<String> steps;
    private final Map<String, Integer> failuresLeft = new HashMap<>();
    private final Set<String> dropped = new HashSet<>();
    private final Set<String> interceptedOnce = new HashSet<>();
    private final Map<String, Integer> effects = new LinkedHashMap<>();
    private final Set<String> givenUp = new HashSet<>();
    private final List<Runnable> acknowledgments = new ArrayList<>();
    private final Random random;
    private int pausesLeft;
    private int pausedFor;
    private @Nullable AbstractMessageListenerContainer<String, String> container;
    private @Nullable KafkaTemplate<String, String> outputs;

    Application(Circumstances circumstances, List<String> ids, Random random, Consumer<String> steps) {
        this.circumstances = circumstances;
        this.steps = steps;
        this.random = random;
        this.pausesLeft = circumstances.pauses();
        for (int i = 0; i < circumstances.failing(); i++) {
            failuresLeft.put(ids.get(random.nextInt(ids.size())), 1 + random.nextInt(5));
        }
        for (String id : ids) {
            if (circumstances.interception() != Interception.NONE && random.nextInt(8) == 0) {
                (circumstances.interception() == Interception.DROPS ? dropped : interceptedOnce).add(id);
            }
        }
    }

    /** What the process had in memory is gone. */
    void crashed() {
        acknowledgments.clear();
        pausedFor = 0;
    }

    /** Where the effects go in a Kafka transaction; null outside of one. */
    void outputs(@Nullable KafkaTemplate<String, String> template) {
        outputs = template;
    }

    /** What the application does beside its listener, on the consumer's thread: acknowledges later, pauses and resumes. */
    void polling() {
        while (!acknowledgments.isEmpty() && random.nextInt(3) != 0) {
            acknowledgments.remove(random.nextInt(acknowledgments.size())).run();
        }
        if (pausedFor > 0 && --pausedFor == 0) {
            steps.accept("resume");
            requireNonNull(container).resume();
        } else if (pausesLeft > 0 && pausedFor == 0 && random.nextInt(10) == 0) {
            pausesLeft--;
            pausedFor = 1 + random.nextInt(5);
            steps.accept("pause");
            requireNonNull(container).pause();
        }
    }

    boolean isQuiet() {
        return acknowledgments.isEmpty() && pausedFor == 0;
    }

    private void acknowledge(@Nullable Acknowledgment acknowledgment, String what) {
        if (acknowledgment == null || !circumstances.isManual()) {
            return;
        }
        if (circumstances.asyncAcks()) {
            acknowledgments.add(() -> {
                steps.accept("acknowledge " + what);
                acknowledgment.acknowledge();
            });
        } else {
            acknowledgment.acknowledge();
        }
    }

    /** How often each message took effect. */
    Map<String, Integer> effects() {
        return effects;
    }

    /** Whether the application itself gave this message up: it dropped it, or its error handler did. */
    boolean gaveUp(String id) {
        return givenUp.contains(id) || dropped.contains(id);
    }

    /** The methods of an annotated listener. */
    final class Methods {
        /** Handles one record. */
        public void record(
                ConsumerRecord<String, String> record, org.apache.kafka.clients.consumer.Consumer<?, ?> consumer) {
            handle(record, null, consumer);
        }

        /** Handles a batch. */
        public void batch(
                List<ConsumerRecord<String, String>> batch, org.apache.kafka.clients.consumer.Consumer<?, ?> consumer) {
            handle(batch, null, consumer);
        }

        /** Handles one record. */
        public void manualRecord(
                ConsumerRecord<String, String> record,
                org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
                Acknowledgment acknowledgment) {
            handle(record, acknowledgment, consumer);
        }

        /** Handles a batch. */
        public void manualBatch(
                List<ConsumerRecord<String, String>> batch,
                org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
                Acknowledgment acknowledgment) {
            handle(batch, acknowledgment, consumer);
        }

        /** Begins to handle one record. */
        public CompletableFuture<@Nullable Void> future(ConsumerRecord<String, String> record) {
            CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
            acknowledgments.add(() -> {
                if (fails(record)) {
                    future.completeExceptionally(new IllegalStateException("can't handle " + record.value()));
                } else {
                    effect(record);
                    future.complete(null);
                }
            });
            return future;
        }
    }

    /** An annotated method as a listener of a container. */
    MethodKafkaListenerEndpoint<String, String> endpoint() {
        String form = circumstances.batch() ? "batch" : "record";
        String manual = circumstances.batch() ? "manualBatch" : "manualRecord";
        String name =
                circumstances.listening() == Listening.FUTURE ? "future" : circumstances.isManual() ? manual : form;
        MethodKafkaListenerEndpoint<String, String> endpoint = new MethodKafkaListenerEndpoint<>();
        Methods bean = new Methods();
        endpoint.setBean(bean);
        endpoint.setMethod(Arrays.stream(Methods.class.getDeclaredMethods())
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

    private static final class SeekingListenerErrorHandler implements KafkaListenerErrorHandler {
        @Override
        public Object handleError(Message<?> message, ListenerExecutionFailedException exception) {
            throw exception;
        }

        @Override
        @SuppressWarnings("NullAway") // null is what an error handler returns that has no reply
        public @Nullable Object handleError(
                Message<?> message,
                ListenerExecutionFailedException exception,
                org.apache.kafka.clients.consumer.@Nullable Consumer<?, ?> consumer) {
            ConsumerRecord<?, ?> record = (ConsumerRecord<?, ?>) message.getPayload();
            requireNonNull(consumer).seek(partition(record), record.offset());
            return null;
        }
    }

    Object listener() {
        if (circumstances.batch()) {
            return (BatchAcknowledgingConsumerAwareMessageListener<String, String>) this::handle;
        }
        return (AcknowledgingConsumerAwareMessageListener<String, String>) this::handle;
    }

    private void handle(
            ConsumerRecord<String, String> record,
            @Nullable Acknowledgment acknowledgment,
            org.apache.kafka.clients.consumer.@Nullable Consumer<?, ?> consumer) {
        if (!fails(record)) {
            effect(record);
            acknowledge(acknowledgment, place(record));
            return;
        }
        switch (circumstances.onFailure()) {
            case SEEK_BACK -> requireNonNull(consumer).seek(partition(record), record.offset());
            case NACK -> requireNonNull(acknowledgment).nack(Duration.ZERO);
            default -> throw new IllegalStateException("can't handle " + record.value());
        }
    }

    private void handle(
            List<ConsumerRecord<String, String>> batch,
            @Nullable Acknowledgment acknowledgment,
            org.apache.kafka.clients.consumer.@Nullable Consumer<?, ?> consumer) {
        if (circumstances.onFailure() == OnFailure.THROW) { // it can't name a record, so it does everything or nothing
            for (ConsumerRecord<String, String> record : batch) {
                if (fails(record)) {
                    throw new IllegalStateException("can't handle " + record.value());
                }
            }
        }
        for (int i = 0; i < batch.size(); i++) {
            ConsumerRecord<String, String> record = batch.get(i);
            if (circumstances.onFailure() == OnFailure.THROW || !fails(record)) {
                effect(record);
                continue;
            }
            switch (circumstances.onFailure()) {
                case SEEK_BACK -> {
                    // All that follows is fetched again: each partition from its first record that isn't handled.
                    Map<TopicPartition, Long> rest = new LinkedHashMap<>();
                    batch.subList(i, batch.size()).forEach(each -> rest.putIfAbsent(partition(each), each.offset()));
                    rest.forEach(requireNonNull(consumer)::seek);
                    acknowledge(acknowledgment, "a batch up to " + place(record));
                    return;
                }
                case NACK -> {
                    requireNonNull(acknowledgment).nack(i, Duration.ZERO);
                    return;
                }
                case THROW_NAMED -> throw new BatchListenerFailedException("can't handle " + record.value(), record);
                default -> throw new IllegalStateException("can't handle " + record.value());
            }
        }
        acknowledge(acknowledgment, "a batch of " + batch.size());
    }

    private boolean fails(ConsumerRecord<String, String> record) {
        Integer left = failuresLeft.get(record.value());
        if (left == null || left == 0) {
            return false;
        }
        failuresLeft.put(record.value(), left - 1);
        steps.accept("handler fails for " + place(record));
        return true;
    }

    private void effect(ConsumerRecord<String, String> record) {
        steps.accept("effect of " + place(record));
        if (outputs != null) {
            outputs.send("outputs", record.value()).join();
        } else {
            effects.merge(record.value(), 1, Integer::sum);
        }
    }

    private void giveUp(ConsumerRecord<?, ?> record) {
        steps.accept("given up: " + place(record));
        givenUp.add(String.valueOf(record.value()));
    }

    void configure(AbstractMessageListenerContainer<String, String> container) {
        this.container = container;
        if (circumstances.inKafkaTransaction()) {
            DefaultAfterRollbackProcessor<String, String> processor = new DefaultAfterRollbackProcessor<>(
                    (record, exception) -> giveUp(record), new FixedBackOff(0, circumstances.retries()));
            container.setAfterRollbackProcessor(processor);
            container.getContainerProperties().setBatchRecoverAfterRollback(true);
        } else {
            container.setCommonErrorHandler(ErrorHandlers.of(circumstances, this::giveUp));
        }
        switch (circumstances.interception()) {
            case NONE -> {}
            case DROPS -> {
                container.setRecordInterceptor((record, consumer) -> drops(record) ? null : record);
                container.setBatchInterceptor((records, consumer) -> {
                    Map<TopicPartition, List<ConsumerRecord<String, String>>> kept = new LinkedHashMap<>();
                    for (ConsumerRecord<String, String> record : records) {
                        if (!drops(record)) {
                            kept.computeIfAbsent(partition(record), key -> new ArrayList<>())
                                    .add(record);
                        }
                    }
                    return new ConsumerRecords<>(kept, records.nextOffsets());
                });
            }
            case THROWS_ONCE -> {
                container.setRecordInterceptor(new RecordInterceptor<>() {
                    @Override
                    public ConsumerRecord<String, String> intercept(
                            ConsumerRecord<String, String> record,
                            org.apache.kafka.clients.consumer.Consumer<String, String> consumer) {
                        throwOnce(record);
                        return record;
                    }
                });
                container.setBatchInterceptor(new BatchInterceptor<>() {
                    @Override
                    public ConsumerRecords<String, String> intercept(
                            ConsumerRecords<String, String> records,
                            org.apache.kafka.clients.consumer.Consumer<String, String> consumer) {
                        records.forEach(Application.this::throwOnce);
                        return records;
                    }
                });
            }
        }
    }

    private boolean drops(ConsumerRecord<String, String> record) {
        boolean drops = dropped.contains(record.value());
        if (drops) {
            steps.accept("interceptor drops " + place(record));
        }
        return drops;
    }

    private void throwOnce(ConsumerRecord<String, String> record) {
        if (interceptedOnce.remove(record.value())) {
            steps.accept("interceptor throws at " + place(record));
            throw new IllegalStateException("the interceptor can't handle " + record.value());
        }
    }

    private static TopicPartition partition(ConsumerRecord<?, ?> record) {
        return new TopicPartition(record.topic(), record.partition());
    }

    private static String place(ConsumerRecord<?, ?> record) {
        return record.partition() + "@" + record.offset() + "=" + record.value();
    }
}
