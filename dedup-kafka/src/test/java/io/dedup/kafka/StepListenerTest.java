package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupContext;
import io.dedup.LiveLease;
import io.dedup.step.LeaseLostException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
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

    record Batches(Scene scene, Consumer<DedupContext> work) {
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
