package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.DedupAdapter;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.RetryableTopic;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.AbstractConsumerSeekAware;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.listener.RecordInterceptor;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.util.backoff.FixedBackOff;

/** Annotated listeners, through the container factory's customizer. */
class SpringListenerTest {
    @EnableKafka
    static class Config {}

    @EnableKafka
    @org.springframework.kafka.annotation.EnableKafkaRetryTopic
    static class RetryConfig {}

    private final List<String> customized = new CopyOnWriteArrayList<>();

    private AnnotationConfigApplicationContext context(
            Scene scene, Object listener, Consumer<ConcurrentKafkaListenerContainerFactory<String, String>> settings) {
        return context(scene, listener, settings, Config.class);
    }

    @SuppressWarnings("unchecked")
    private AnnotationConfigApplicationContext context(
            Scene scene,
            Object listener,
            Consumer<ConcurrentKafkaListenerContainerFactory<String, String>> settings,
            Class<?> config) {
        var context = new AnnotationConfigApplicationContext();
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("test", Map.of("topic", scene.topic, "group", scene.group)));
        context.register(config);
        context.registerBean("kafkaListenerContainerFactory", ConcurrentKafkaListenerContainerFactory.class, () -> {
            var factory = new ConcurrentKafkaListenerContainerFactory<String, String>();
            factory.setConsumerFactory(new DefaultKafkaConsumerFactory<>(
                    scene.consumerConfig(), new StringDeserializer(), new StringDeserializer()));
            factory.getContainerProperties().setPollTimeout(200);
            settings.accept(factory);
            factory.setContainerCustomizer(
                    scene.kafka.customizer(container -> customized.add(container.getListenerId())));
            return factory;
        });
        context.registerBean("listener", (Class<Object>) listener.getClass(), () -> listener);
        context.registerBean("scheduler", ThreadPoolTaskScheduler.class, ThreadPoolTaskScheduler::new);
        context.registerBean("template", KafkaTemplate.class, scene::template);
        scene.closeLater(context);
        context.refresh();
        return context;
    }

    record ManualMethod(Scene scene) {
        @KafkaListener(id = "m", groupId = "${group}", topics = "${topic}", ackMode = "MANUAL_IMMEDIATE")
        public void on(String value, @Header("id") byte[] id, Acknowledgment ack) {
            scene.effects.add(new String(id, StandardCharsets.UTF_8));
            ack.acknowledge();
        }
    }

    @Tag(SpringKafkaLine.TAG_4) // @KafkaListener(ackMode = ...)
    @Test
    @DisplayName("K7b K1 an annotated method with an Acknowledgment; the user's own customizer still runs")
    void manualMethod() {
        try (Scene scene = new Scene()) {
            scene.send("a", "a", "b");
            context(scene, new ManualMethod(scene), factory -> {});
            scene.awaitEffects("a", "b");
            scene.awaitCommitted(3);
            assertThat(customized).containsExactly("m");
        }
    }

    record BatchMethod(Scene scene) {
        @KafkaListener(id = "b", groupId = "${group}", topics = "${topic}", batch = "true")
        public void on(List<String> values) {
            values.forEach(value -> scene.effects.add(value.substring(2)));
        }
    }

    record PollMethod(Scene scene) {
        @KafkaListener(id = "p", groupId = "${group}", topics = "${topic}", batch = "true")
        public void on(ConsumerRecords<String, String> records) {
            records.forEach(scene.effect());
        }
    }

    @Test
    @DisplayName("K1 K6 annotated batch methods, with payloads and with the poll's result")
    void batchMethods() {
        for (boolean poll : List.of(true, false)) {
            try (Scene scene = new Scene()) {
                scene.send("a", "a", "b");
                context(scene, poll ? new PollMethod(scene) : new BatchMethod(scene), factory -> {});
                scene.awaitEffects("a", "b");
                scene.awaitCommitted(3);
                scene.send("b", "c");
                scene.awaitEffects("a", "b", "c");
                scene.awaitCommitted(5);
            }
        }
    }

    record FailingMethod(Scene scene, AtomicInteger calls) {
        @KafkaListener(id = "f", groupId = "${group}", topics = "${topic}")
        public void on(ConsumerRecord<String, String> record) {
            if (Scene.id(record).equals("bad")) {
                calls.incrementAndGet();
                throw new IllegalStateException("bad one");
            }
            scene.effect().accept(record);
        }
    }

    @Test
    @DisplayName(
            "T1 K3 a failing handler is retried, its claim released in between, and dead-lettered; so is a missing ID, at once")
    void deadLetters() {
        try (Scene scene = new Scene()) {
            io.dedup.testservers.kafka.KafkaServers.shared().createTopic(scene.topic + "-dlt", 1);
            AtomicInteger calls = new AtomicInteger();
            List<String> attempts = new CopyOnWriteArrayList<>();
            scene.send("a", "bad", "b");
            scene.send(scene.record(0, null, "no ID"));
            scene.send("c");
            context(scene, new FailingMethod(scene, calls), factory -> {
                var handler = new DefaultErrorHandler(
                        new DeadLetterPublishingRecoverer(scene.template()), new FixedBackOff(0, 3));
                handler.setRetryListeners((record, e, attempt) -> attempts.add(record.offset() + " " + attempt + " "
                        + DedupAdapter.of(scene.dedup).inFlight()));
                factory.setCommonErrorHandler(handler);
            });
            scene.awaitEffects("a", "b", "c");
            scene.awaitCommitted(5);
            assertThat(calls).hasValue(4);
            assertThat(attempts)
                    .as("offset, attempt, and no claim held")
                    .containsExactly("1 1 0", "1 2 0", "1 3 0", "1 4 0", "3 1 0");
            assertThat(scene.records(scene.topic + "-dlt").stream().map(ConsumerRecord::value))
                    .containsExactly("v-bad", "no ID");
        }
    }

    @Test
    @DisplayName("K8 filters, interceptors and observations: what is skipped still closes its observation")
    void filtersInterceptorsObservations() {
        try (Scene scene = new Scene()) {
            AtomicInteger started = new AtomicInteger();
            AtomicInteger stopped = new AtomicInteger();
            ObservationRegistry registry = ObservationRegistry.create();
            registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {
                @Override
                public void onStart(Observation.Context context) {
                    started.incrementAndGet();
                }

                @Override
                public void onStop(Observation.Context context) {
                    stopped.incrementAndGet();
                }

                @Override
                public boolean supportsContext(Observation.Context context) {
                    return true;
                }
            });
            List<String> intercepted = new CopyOnWriteArrayList<>();
            var elsewhere = scene.runningElsewhere("late");
            scene.send("a", "a", "filtered", "filtered", "b");
            scene.send(scene.record(0, null, "no ID"));
            scene.send("late");
            context(scene, new FailingMethod(scene, new AtomicInteger()), factory -> {
                factory.getContainerProperties().setObservationEnabled(true);
                factory.getContainerProperties().setObservationRegistry(registry);
                factory.setCommonErrorHandler(new DefaultErrorHandler((record, e) -> {}, new FixedBackOff(0, 0)));
                factory.setRecordFilterStrategy(record -> record.value().contains("filtered"));
                factory.setRecordInterceptor(new RecordInterceptor<>() {
                    @Override
                    public ConsumerRecord<String, String> intercept(
                            ConsumerRecord<String, String> record,
                            org.apache.kafka.clients.consumer.Consumer<String, String> consumer) {
                        intercepted.add(record.value());
                        return record;
                    }
                });
            });
            await().until(() -> scene.deferrals.size() >= 3);
            elsewhere.succeed(null, io.dedup.adapter.WaitBudget.none());
            scene.awaitCommitted(7);
            assertThat(scene.effects).containsExactly("a", "b");
            assertThat(scene.events.stream().filter("completed filtered"::equals))
                    .as("filtered is handled")
                    .hasSize(1);
            assertThat(intercepted).contains("v-a", "v-filtered", "v-b", "no ID", "v-late");
            assertThat(started.get()).isGreaterThanOrEqualTo(10);
            await().untilAsserted(() -> assertThat(stopped).hasValue(started.get()));
        }
    }

    static final class Seeking extends AbstractConsumerSeekAware {
        private final Scene scene;

        Seeking(Scene scene) {
            this.scene = scene;
        }

        @KafkaListener(id = "s", groupId = "${group}", topics = "${topic}")
        public void on(String value, @Header(KafkaHeaders.OFFSET) long offset, @Header("id") byte[] id) {
            scene.effects.add(new String(id, StandardCharsets.UTF_8));
        }

        void replay() {
            getTopicsAndCallbacks()
                    .forEach((partition, callbacks) -> callbacks.forEach(
                            callback -> callback.seekToBeginning(List.of(new TopicPartition(scene.topic, 0)))));
        }
    }

    @Test
    @DisplayName("K1 a listener that seeks keeps its callbacks; a replay of the topic runs nothing again")
    void replay() {
        try (Scene scene = new Scene()) {
            Seeking seeking = new Seeking(scene);
            scene.send("a", "b", "c");
            context(scene, seeking, factory -> {});
            scene.awaitEffects("a", "b", "c");
            seeking.replay();
            await().until(() ->
                    scene.events.stream().filter(e -> e.startsWith("duplicate")).count() == 3);
            scene.send("d");
            scene.awaitEffects("a", "b", "c", "d");
            scene.awaitCommitted(4);
        }
    }

    record LaterMethod(Scene scene, AtomicInteger calls) {
        @KafkaListener(id = "stage", groupId = "${group}", topics = "${topic}")
        public CompletionStage<Void> on(@Header("id") byte[] id) {
            return CompletableFuture.runAsync(() -> work(id)).minimalCompletionStage();
        }

        private void work(byte[] id) {
            String text = new String(id, StandardCharsets.UTF_8);
            // The container would commit within a poll, if nothing waited for this.
            await().during(Duration.ofMillis(400)).until(() -> scene.committed().isEmpty());
            if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("for once");
            }
            scene.effects.add(text);
        }
    }

    record LaterObject(Scene scene, LaterMethod delegate) {
        @SuppressWarnings("FutureReturnValueIgnored") // that is what this is about
        @KafkaListener(id = "object", groupId = "${group}", topics = "${topic}")
        public Object on(@Header("id") byte[] id) {
            return CompletableFuture.supplyAsync(() -> delegate.on(id)).thenCompose(stage -> stage);
        }
    }

    @KafkaListener(id = "class", groupId = "${group}", topics = "${topic}")
    record LaterClass(Scene scene, LaterMethod delegate) {
        @KafkaHandler
        public Future<Void> on(String value, @Header("id") byte[] id) {
            return delegate.on(id).toCompletableFuture();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"stage", "object", "class"})
    @DisplayName("a method whose declared return type doesn't say that it is done later is waited for")
    void doneLater(String kind) {
        try (Scene scene = new Scene()) {
            scene.send("a");
            LaterMethod stage = new LaterMethod(scene, new AtomicInteger());
            Object listener = switch (kind) {
                case "object" -> new LaterObject(scene, stage);
                case "class" -> new LaterClass(scene, stage);
                default -> stage;
            };
            context(
                    scene,
                    listener,
                    factory -> factory.setCommonErrorHandler(new DefaultErrorHandler(new FixedBackOff(0, 3))));
            scene.awaitCommitted(1);
            assertThat(scene.effects).containsExactly("a");
            assertThat(stage.calls()).hasValue(2);
        }
    }

    record RetryMethod() {
        @RetryableTopic(attempts = "2", kafkaTemplate = "template", numPartitions = "1")
        @KafkaListener(id = "retry", groupId = "${group}", topics = "${topic}")
        public void on(String value) {}
    }

    private static String refusal(Runnable start) {
        try {
            start.run();
        } catch (RuntimeException e) {
            Throwable root = e;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            return String.valueOf(root.getMessage());
        }
        return "started";
    }

    @Test
    @DisplayName("K7 @RetryableTopic without an installer is refused: nothing is consumed")
    void retryTopicRefused() {
        try (Scene scene = new Scene()) {
            scene.send("a");
            String refused = refusal(() -> {
                var context = context(scene, new RetryMethod(), factory -> {}, RetryConfig.class);
                var registry = context.getBean(KafkaListenerEndpointRegistry.class);
                await().until(() ->
                        registry.getAllListenerContainers().stream().noneMatch(MessageListenerContainer::isRunning));
                throw new IllegalStateException("@RetryableTopic: all stopped");
            });
            assertThat(refused).contains("@RetryableTopic");
            assertThat(scene.effects).isEmpty();
            assertThat(scene.committed()).isEmpty();
        }
    }

    record EndingEarly(
            Scene scene,
            String how,
            ExecutorService workers,
            AtomicInteger calls,
            AtomicInteger running,
            AtomicInteger most) {
        @KafkaListener(id = "early", groupId = "${group}", topics = "${topic}")
        public CompletionStage<Void> on(@Header("id") byte[] id) {
            boolean first = calls.incrementAndGet() == 1;
            CompletableFuture<Void> work = CompletableFuture.runAsync(() -> work(first), workers);
            if (first && how.equals("cancelled")) {
                work.cancel(true);
            }
            return first && how.equals("timed out") ? work.orTimeout(100, TimeUnit.MILLISECONDS) : work;
        }

        private void work(boolean first) {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            if (first) { // ends before its lease, and so before it may run again
                await().until(() -> scene.deferrals.size() >= 3 || calls.get() > 1);
            }
            running.decrementAndGet();
            scene.effects.add("effect");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"timed out", "cancelled"})
    @DisplayName(
            "K2 a future that ends before its work: the claim isn't released, so that nothing runs beside the work")
    void endsBeforeItsWork(String how) {
        try (Scene scene = new Scene()) {
            scene.send("a");
            ExecutorService workers = Executors.newCachedThreadPool();
            scene.closeLater(workers::shutdownNow);
            AtomicInteger most = new AtomicInteger();
            AtomicInteger calls = new AtomicInteger();
            context(scene, new EndingEarly(scene, how, workers, calls, new AtomicInteger(), most), factory -> {});
            scene.awaitCommitted(1);
            assertThat(most).hasValue(1);
            assertThat(scene.deferrals).contains("a IN_FLIGHT");
            assertThat(scene.events).doesNotContain("released a");
            assertThat(calls).hasValue(2);
        }
    }
}
