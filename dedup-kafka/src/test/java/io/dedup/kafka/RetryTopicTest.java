package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.WaitBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.annotation.BackOff;
import org.springframework.kafka.annotation.DltHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.RetryableTopic;
import org.springframework.kafka.config.ContainerPostProcessor;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.retrytopic.RetryTopicConfigurationSupport;
import org.springframework.util.backoff.FixedBackOff;

/** {@code @RetryableTopic}: one message on its way over several topics, in containers of several groups. */
class RetryTopicTest {
    static class Handlers {
        final Scene scene;
        final Set<String> broken = ConcurrentHashMap.newKeySet();
        final List<String> calls = new CopyOnWriteArrayList<>();
        final List<String> deadLetters = new CopyOnWriteArrayList<>();
        final AtomicInteger deadLetterFailures = new AtomicInteger();

        Handlers(Scene scene) {
            this.scene = scene;
        }

        @RetryableTopic(
                attempts = "3",
                backOff = @BackOff(delay = 50, multiplier = 2),
                kafkaTemplate = "template",
                numPartitions = "1")
        @KafkaListener(id = "${topic}", groupId = "${group}", topics = "${topic}", containerPostProcessor = "#{@users}")
        void on(ConsumerRecord<String, String> record) {
            String id = Scene.id(record);
            calls.add(id + " " + record.topic().substring(scene.topic.length()));
            if (broken.contains(id)) {
                throw new IllegalStateException("broken");
            }
            scene.effects.add(id);
        }

        @DltHandler
        void dead(ConsumerRecord<String, String> record) {
            deadLetters.add(record.value());
            if (deadLetterFailures.getAndDecrement() > 0) {
                throw new IllegalStateException("the dead-letter handler fails for once");
            }
        }
    }

    private final List<String> users = new CopyOnWriteArrayList<>();

    private static ContainerPostProcessor<String, String, ConcurrentMessageListenerContainer<String, String>> own(
            ContainerPostProcessor<String, String, ConcurrentMessageListenerContainer<String, String>> own) {
        return own;
    }

    private Handlers start(Scene scene, Class<?> config) {
        Handlers handlers = new Handlers(scene);
        new AnnotatedScene(scene)
                .with("users", ContainerPostProcessor.class, own(container -> users.add(container.getListenerId())))
                .start(handlers, config);
        return handlers;
    }

    private static List<String> ids(Scene scene, String suffix) {
        return scene.records(scene.topic + suffix).stream().map(Scene::id).toList();
    }

    @Tag(SpringKafkaLine.TAG_4) // @RetryableTopic(backOff = ...)
    @Test
    @DisplayName(
            "K7 K7b hops share the main topic's claims, the dead letter has its own, and a replay after a fix runs")
    void hopsDeadLetterAndReplay() {
        try (Scene scene = new Scene()) {
            Handlers handlers = start(scene, AnnotatedScene.Config.class);
            handlers.broken.add("bad");
            handlers.deadLetterFailures.set(1);
            scene.send("good", "bad", "good");
            await().until(() -> handlers.deadLetters.size() == 2);
            scene.awaitCommitted(3);
            assertThat(handlers.calls).containsOnlyOnce("bad ", "bad -retry-50", "bad -retry-100", "good ");
            assertThat(handlers.calls).hasSize(4);
            assertThat(scene.events).contains("duplicate good");
            assertThat(ids(scene, "-dlt")).containsExactly("bad", "bad");

            // Dead-lettered again: another record, which isn't taken for a duplicate of the first.
            scene.send("bad");
            await().until(() -> handlers.deadLetters.size() == 3);

            handlers.broken.clear(); // the fix
            List<ConsumerRecord<String, String>> dead = new ArrayList<>(scene.records(scene.topic + "-dlt"));
            dead.forEach(record ->
                    scene.send(scene.record(0, record.headers().lastHeader("id").value(), "again")));
            scene.awaitEffects("good", "bad");
            scene.awaitCommitted(7);
            assertThat(scene.events.stream().filter("duplicate bad"::equals)).hasSize(2);
            assertThat(users)
                    .containsExactlyInAnyOrder(
                            scene.topic, scene.topic + "-retry-50", scene.topic + "-retry-100", scene.topic + "-dlt");
        }
    }

    @Test
    @DisplayName(
            "K3 K7 in flight elsewhere, on the main topic and on a retry topic: no hop is spent, nothing dead-lettered")
    void inFlightSpendsNoHop() {
        try (Scene scene = new Scene()) {
            Handlers handlers = new Handlers(scene);
            handlers.broken.add("hop");
            var elsewhere = scene.runningElsewhere("main");
            new AnnotatedScene(scene)
                    .with("users", ContainerPostProcessor.class, own(container -> {}))
                    .start(handlers);
            scene.send("main");
            await().until(() -> scene.deferrals.size() >= 15);
            assertThat(handlers.calls).isEmpty();
            elsewhere.succeed(null, WaitBudget.none());
            scene.awaitCommitted(1);

            // Taken by another process between the first failure and the second try.
            AtomicInteger before = new AtomicInteger(scene.deferrals.size());
            scene.send("hop");
            var taken = new java.util.concurrent.atomic.AtomicReference<io.dedup.adapter.Execution>();
            await().pollInterval(java.time.Duration.ofMillis(1)).until(() -> {
                if (taken.get() == null && scene.events.contains("released hop")) {
                    taken.set(scene.runningElsewhere("hop"));
                }
                return scene.deferrals.size() >= before.get() + 10;
            });
            handlers.broken.clear();
            int calls = handlers.calls.size();
            taken.get().fail(new IllegalStateException("failed elsewhere"));
            scene.awaitEffects("hop");
            assertThat(handlers.calls).hasSize(calls + 1);
            assertThat(handlers.calls.get(calls - 1)).as("no hop spent").isNotEqualTo("hop -retry-100");
            assertThat(ids(scene, "-dlt")).isEmpty();
            assertThat(handlers.deadLetters).isEmpty();
        }
    }

    record InTransaction() {
        @RetryableTopic(attempts = "2", kafkaTemplate = "template", numPartitions = "1", autoStartDltHandler = "false")
        @KafkaListener(id = "${topic}", groupId = "${group}", topics = "${topic}", autoStartup = "false")
        public void on(ConsumerRecord<String, String> record) {}
    }

    @Test
    @DisplayName("K7 K10 in a Kafka transaction: refused, since hops would commit what a failed handler has sent")
    void refusedInKafkaTransaction() {
        try (Scene scene = new Scene()) {
            Transactions transactions = new Transactions(scene);
            var main = (AbstractMessageListenerContainer<?, ?>) new AnnotatedScene(scene)
                    .with(factory ->
                            factory.getContainerProperties().setKafkaAwareTransactionManager(transactions.manager))
                    .start(new InTransaction())
                    .getBean(KafkaListenerEndpointRegistry.class)
                    .getListenerContainer(scene.topic);
            assertThatThrownBy(() -> scene.kafka.check(main))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("@RetryableTopic")
                    .hasMessageContaining("Remove kafkaAwareTransactionManager");
        }
    }

    /** Blocking retries before each hop. */
    static class Blocking extends RetryTopicConfigurationSupport {
        @Override
        protected void configureBlockingRetries(BlockingRetriesConfigurer settings) {
            settings.retryOn(IllegalStateException.class).backOff(new FixedBackOff(0, 1));
        }
    }

    @org.springframework.kafka.annotation.EnableKafka
    @org.springframework.context.annotation.Configuration
    static class BlockingConfig extends Blocking {}

    @Tag(SpringKafkaLine.TAG_4) // the same
    @Test
    @DisplayName("K7 blocking retries before each hop; a missing ID is dead-lettered at once")
    void blockingRetries() {
        try (Scene scene = new Scene()) {
            Handlers handlers = start(scene, BlockingConfig.class);
            handlers.broken.add("bad");
            scene.send("bad");
            scene.send(scene.record(0, null, "no ID"));
            scene.send("good");
            await().until(() -> handlers.deadLetters.size() == 2);
            assertThat(handlers.deadLetters).containsExactlyInAnyOrder("v-bad", "no ID");
            assertThat(handlers.calls)
                    .contains("good ")
                    .filteredOn(call -> call.startsWith("bad"))
                    .containsExactly(
                            "bad ", "bad ", "bad -retry-50", "bad -retry-50", "bad -retry-100", "bad -retry-100");
            assertThat(scene.records(scene.topic + "-retry-50")).hasSize(1);
            scene.awaitCommitted(3);
        }
    }
}
