package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupContext;
import io.dedup.LiveLease;
import io.dedup.step.LeaseLostException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.listener.BatchInterceptor;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.RecordInterceptor;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.util.backoff.FixedBackOff;

/** Listeners that name the steps of their work. */
class StepListenerTest {
    private final ExecutorService workers = Executors.newCachedThreadPool();
    private final List<String> steps = new CopyOnWriteArrayList<>();
    private final AtomicInteger failures = new AtomicInteger(2);

    @AfterEach
    void stop() {
        workers.shutdownNow();
    }

    private void run(ConsumerRecord<String, String> record, DedupContext context) {
        String id = Scene.id(record);
        String charge = context.step("charge", String.class, () -> {
            steps.add("charge " + id);
            return "ch-" + id;
        });
        context.step("mail", () -> steps.add("mail " + charge));
        if (id.equals("a") && failures.getAndDecrement() > 0) {
            throw new IllegalStateException("fails after two steps");
        }
        context.step("reserve", () -> steps.add("reserve " + id));
    }

    final class Records {
        @KafkaListener(id = "steps", groupId = "${group}", topics = "${topic}")
        void on(ConsumerRecord<String, String> record, DedupContext context) {
            run(record, context);
        }
    }

    final class Futures {
        @KafkaListener(id = "steps", groupId = "${group}", topics = "${topic}")
        CompletableFuture<Void> on(ConsumerRecord<String, String> record, DedupContext context) {
            return CompletableFuture.runAsync(() -> run(record, context), workers);
        }
    }

    @Test
    @DisplayName("a record that is delivered again goes on at the step that hasn't run")
    void records() {
        goesOn(new Records());
    }

    @Test
    @DisplayName("so does one whose handler runs its steps on other threads")
    void futures() {
        goesOn(new Futures());
    }

    record Batches(Scene scene, java.util.function.Consumer<DedupContext> work) {
        @KafkaListener(id = "steps", groupId = "${group}", topics = "${topic}")
        void on(List<ConsumerRecord<String, String>> records) {
            for (ConsumerRecord<String, String> record : records) {
                work.accept(scene.contexts.current(Scene.id(record)));
            }
        }
    }

    @Test
    @DisplayName("so does each record of a batch, whose handler finds the contexts by the records' IDs")
    void batches() {
        try (Scene scene = new Scene()) {
            AtomicInteger broken = new AtomicInteger(2);
            scene.send("a", "b", "a", "c");
            new AnnotatedScene(scene)
                    .with(factory -> {
                        factory.setBatchListener(true);
                        factory.setCommonErrorHandler(new DefaultErrorHandler(new FixedBackOff(0, 5)));
                    })
                    .start(new Batches(scene, context -> {
                        String id = context.key().messageId();
                        context.step("charge", () -> steps.add("charge " + id));
                        if (id.equals("b") && broken.getAndDecrement() > 0) {
                            throw new IllegalStateException("fails after a step");
                        }
                        context.step("mail", () -> steps.add("mail " + id));
                    }));
            scene.awaitCommitted(4);

            assertThat(steps)
                    .containsExactlyInAnyOrder("charge a", "mail a", "charge b", "mail b", "charge c", "mail c");
        }
    }

    @Test
    @DisplayName("so does one in Kotlin")
    void kotlin() {
        goesOn(new SteppingListener(steps));
    }

    record Acknowledging(Scene scene, List<String> steps, AtomicInteger refused) {
        @KafkaListener(id = "steps", groupId = "${group}", topics = "${topic}")
        void on(ConsumerRecord<String, String> record, DedupContext context, Acknowledgment ack) {
            if (steps.isEmpty()) { // an operator takes the claim away, as another consumer would
                scene.dedup.forget(scene.key(Scene.id(record)), LiveLease.OVERRIDE);
            }
            try {
                context.step("charge", () -> steps.add("charge"));
                context.step("mail", () -> steps.add("mail"));
            } catch (LeaseLostException e) {
                steps.add("goes on all the same");
            }
            try {
                ack.acknowledge();
            } catch (LeaseLostException e) {
                refused.incrementAndGet();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("a handler that has left a step out, because its lease was lost, cannot acknowledge its record")
    void acknowledged(boolean asyncAcks) {
        AtomicInteger refused = new AtomicInteger();
        try (Scene scene = new Scene()) {
            new AnnotatedScene(scene)
                    .with(factory -> {
                        factory.getContainerProperties().setAckMode(AckMode.MANUAL);
                        factory.getContainerProperties().setAsyncAcks(asyncAcks);
                    })
                    .start(new Acknowledging(scene, steps, refused));
            scene.send("a");
            scene.awaitCommitted(1);

            assertThat(steps).containsExactly("charge", "goes on all the same", "charge", "mail");
            assertThat(refused).hasValue(1);
        }
    }

    /** Hands records to another thread, which acknowledges them when the listener's first call has returned. */
    static class Handing implements RecordInterceptor<String, String>, BatchInterceptor<String, String> {
        final ExecutorService worker = Executors.newSingleThreadExecutor();
        private final CountDownLatch returned = new CountDownLatch(1);
        final List<String> acknowledged = new CopyOnWriteArrayList<>();
        ThrowingConsumer<String> beforeAcknowledging = ids -> {};
        private final Scene scene;
        private final List<String> steps;

        Handing(Scene scene, List<String> steps) {
            this.scene = scene;
            this.steps = steps;
            Future<?> unused = worker.submit(() -> returned.await(3, TimeUnit.MINUTES));
        }

        @Override
        public ConsumerRecord<String, String> intercept(
                ConsumerRecord<String, String> record, Consumer<String, String> consumer) {
            return record;
        }

        @Override
        public ConsumerRecords<String, String> intercept(
                ConsumerRecords<String, String> records, Consumer<String, String> consumer) {
            return records;
        }

        @Override
        public void success(ConsumerRecord<String, String> record, Consumer<String, String> consumer) {
            returned.countDown();
        }

        @Override
        public void success(ConsumerRecords<String, String> records, Consumer<String, String> consumer) {
            returned.countDown();
        }

        @Override
        public void setupThreadState(Consumer<?, ?> consumer) {}

        @Override
        public void clearThreadState(Consumer<?, ?> consumer) {}

        void handle(String id) {
            DedupContext context = scene.contexts.current(id);
            Future<?> unused = worker.submit(() -> {
                if (steps.isEmpty()) { // an operator takes the claim away, as another consumer would
                    scene.dedup.forget(scene.key(id), LiveLease.OVERRIDE);
                }
                context.step("charge", () -> steps.add("charge " + id));
                context.step("mail", () -> steps.add("mail " + id));
            });
        }

        void acknowledge(String ids, Acknowledgment ack) {
            Future<?> unused = worker.submit(() -> {
                beforeAcknowledging.accept(ids);
                ack.acknowledge();
                acknowledged.add(ids);
            });
        }
    }

    static final class HandingRecords extends Handing {
        private final Predicate<String> acknowledges;

        HandingRecords(Scene scene, List<String> steps, Predicate<String> acknowledges) {
            super(scene, steps);
            this.acknowledges = acknowledges;
        }

        @KafkaListener(id = "steps", groupId = "${group}", topics = "${topic}")
        void on(ConsumerRecord<String, String> record, Acknowledgment ack) {
            String id = Scene.id(record);
            handle(id);
            if (acknowledges.test(id)) {
                acknowledge(id, ack);
            }
        }
    }

    static final class HandingBatches extends Handing {
        HandingBatches(Scene scene, List<String> steps) {
            super(scene, steps);
        }

        @KafkaListener(id = "steps", groupId = "${group}", topics = "${topic}", batch = "true")
        void on(List<ConsumerRecord<String, String>> records, Acknowledgment ack) {
            List<String> ids = records.stream().map(Scene::id).toList();
            ids.forEach(this::handle);
            acknowledge(String.join(" ", ids), ack);
        }
    }

    @Test
    @DisplayName(
            "an acknowledgment of a later record has a record delivered again whose handler has left a step out, and isn't refused")
    void acknowledgedBehind() {
        try (Scene scene = new Scene()) {
            AtomicInteger acknowledgments = new AtomicInteger();
            Handing listener = new HandingRecords(scene, steps, id -> acknowledgments.getAndIncrement() > 0);
            stepsOut(scene, listener, false);

            assertThat(listener.acknowledged).containsExactly("b", "a");
        }
    }

    @Test
    @DisplayName("so has its own acknowledgment, long after the return, which is refused")
    void acknowledgedLater() {
        try (Scene scene = new Scene()) {
            Handing listener = new HandingRecords(scene, steps, id -> true);
            stepsOut(scene, listener, true);

            assertThat(listener.acknowledged).containsExactlyInAnyOrder("b", "a");
        }
    }

    @Test
    @DisplayName("so has that of its batch")
    void batchAcknowledgedLater() {
        try (Scene scene = new Scene()) {
            Handing listener = new HandingBatches(scene, steps);
            stepsOut(scene, listener, false);

            assertThat(listener.acknowledged).containsExactly("a");
        }
    }

    @Test
    @DisplayName(
            "nor does that of a record that was given before the next run, and is acknowledged while it is at work")
    void acknowledgedOutOfTurn() {
        CountDownLatch again = new CountDownLatch(2);
        try (Scene scene = new Scene()) {
            Handing listener = new HandingRecords(scene, steps, id -> {
                if (id.equals("a")) {
                    again.countDown();
                }
                return !id.equals("a") || again.getCount() == 0;
            });
            listener.beforeAcknowledging = id -> {
                if (id.equals("c")) {
                    assertThat(again.await(3, TimeUnit.MINUTES)).isTrue();
                }
            };
            scene.send("a", "b", "c");
            new AnnotatedScene(scene)
                    .with(factory -> {
                        factory.getContainerProperties().setAckMode(AckMode.MANUAL);
                        factory.setRecordInterceptor(listener);
                    })
                    .start(listener);
            scene.awaitCommitted(3);

            listener.worker.shutdownNow();
            assertThat(listener.acknowledged).containsExactly("b", "c", "a");
            assertThat(steps)
                    .containsExactly("charge a", "charge b", "mail b", "charge c", "mail c", "charge a", "mail a");
        }
    }

    @Test
    @DisplayName(
            "a batch that leaves a step of one record out is deferred, also when it acknowledges: no recoverer gets its other records")
    void batchAcknowledgedInItsCall() {
        List<String> recovered = new CopyOnWriteArrayList<>();
        try (Scene scene = new Scene()) {
            scene.send("a", "a", "b"); // the copy isn't given to the handler
            new AnnotatedScene(scene)
                    .with(factory -> {
                        factory.getContainerProperties().setAckMode(AckMode.MANUAL);
                        factory.setCommonErrorHandler(new DefaultErrorHandler(
                                (record, failure) -> recovered.add(Scene.id(record)), new FixedBackOff(0, 0)));
                    })
                    .start(new SwallowingBatches(scene, steps));
            scene.awaitCommitted(3);

            assertThat(recovered).isEmpty();
            assertThat(steps).containsExactly("charge a", "charge b", "goes on all the same", "charge b");
        }
    }

    record SwallowingBatches(Scene scene, List<String> steps) {
        @KafkaListener(id = "steps", groupId = "${group}", topics = "${topic}", batch = "true")
        void on(List<ConsumerRecord<String, String>> records, Acknowledgment ack) {
            for (ConsumerRecord<String, String> record : records) {
                String id = Scene.id(record);
                if (id.equals("b") && steps.size() < 2) { // an operator takes the claim away, as another consumer would
                    scene.dedup.forget(scene.key(id), LiveLease.OVERRIDE);
                }
                try {
                    scene.contexts.current(id).step("charge", () -> steps.add("charge " + id));
                } catch (LeaseLostException e) {
                    steps.add("goes on all the same");
                }
            }
            ack.acknowledge();
        }
    }

    record Keeping(Scene scene, List<Acknowledgment> acknowledgments) {
        @KafkaListener(id = "steps", groupId = "${group}", topics = "${topic}")
        void on(ConsumerRecord<String, String> record, DedupContext context, Acknowledgment ack) {
            acknowledgments.add(ack);
            if (acknowledgments.size() == 1) { // an operator takes the claim away, as another consumer would
                scene.dedup.forget(scene.key(Scene.id(record)), LiveLease.OVERRIDE);
                context.step("charge", () -> {});
            }
        }
    }

    @Test
    @DisplayName("its acknowledgment doesn't end the next run of its record, which is still at work")
    void acknowledgedByAnEarlierRun() {
        List<Acknowledgment> acknowledgments = new CopyOnWriteArrayList<>();
        try (Scene scene = new Scene()) {
            scene.send("a");
            new AnnotatedScene(scene)
                    .with(factory -> factory.getContainerProperties().setAckMode(AckMode.MANUAL))
                    .start(new Keeping(scene, acknowledgments));
            await().until(() -> acknowledgments.size() == 2);

            assertThatThrownBy(() -> acknowledgments.get(0).acknowledge()).isInstanceOf(LeaseLostException.class);
            assertThat(scene.committed()).isEmpty();
            acknowledgments.get(1).acknowledge();
            scene.awaitCommitted(1);
        }
    }

    private void stepsOut(Scene scene, Handing listener, boolean asyncAcks) {
        try {
            scene.send("a", "b");
            new AnnotatedScene(scene)
                    .with(factory -> {
                        factory.getContainerProperties().setAckMode(AckMode.MANUAL);
                        factory.getContainerProperties().setAsyncAcks(asyncAcks);
                        factory.setRecordInterceptor(listener);
                        factory.setBatchInterceptor(listener);
                    })
                    .start(listener);
            scene.awaitCommitted(2);
        } finally {
            listener.worker.shutdownNow();
        }

        assertThat(steps).containsExactlyInAnyOrder("charge a", "charge b", "mail b", "charge a", "mail a");
    }

    private void goesOn(Object listener) {
        try (Scene scene = new Scene()) {
            new AnnotatedScene(scene)
                    .with(factory -> factory.setCommonErrorHandler(new DefaultErrorHandler(new FixedBackOff(0, 5))))
                    .start(listener);
            scene.send("a", "b", "a");
            scene.awaitCommitted(3);

            assertThat(steps)
                    .containsExactlyInAnyOrder(
                            "charge a", "mail ch-a", "reserve a", "charge b", "mail ch-b", "reserve b");
        }
    }
}
