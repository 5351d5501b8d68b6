package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupContext;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.kafka.id.KafkaMessageIds;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.support.TaskExecutorAdapter;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.support.KafkaNull;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.util.backoff.FixedBackOff;

/** Shapes of listeners and settings of containers that no other test has: nothing is lost, nothing handled twice. */
class ShapesTest {
    @KafkaListener(id = "class", groupId = "${group}", topics = "${topic}")
    static final class ClassLevel {
        private final Scene scene;

        ClassLevel(Scene scene) {
            this.scene = scene;
        }

        @KafkaHandler
        void on(String value, DedupContext context) {
            scene.effects.add(value + " " + context.attempt());
        }

        @KafkaHandler
        void gone(@Payload(required = false) KafkaNull tombstone, @Header("id") byte[] id) {
            scene.effects.add("gone " + new String(id, java.nio.charset.StandardCharsets.UTF_8));
        }
    }

    @Test
    @DisplayName("hundreds of listeners share a consumer factory: the calls of its consumers don't nest")
    void manyOfOneFactory() {
        try (Scene scene = new Scene()) {
            List<Integer> depths = new CopyOnWriteArrayList<>();
            StringDeserializer values = new StringDeserializer() {
                @Override
                public String deserialize(String topic, Headers headers, ByteBuffer data) { // within the client's poll
                    depths.add(Thread.currentThread().getStackTrace().length);
                    return super.deserialize(topic, headers, data);
                }
            };
            var factory = new DefaultKafkaConsumerFactory<String, String>(
                    scene.consumerConfig(), new StringDeserializer(), values);
            var properties = scene.properties(AckMode.RECORD, (MessageListener<String, String>)
                    record -> scene.effect().accept(record));
            for (int i = 0; i < 100; i++) {
                scene.closeLater(KafkaDedup.builder(scene.dedup)
                                .id(KafkaMessageIds.header("id"))
                                .build())
                        .decorate(new ConcurrentMessageListenerContainer<>(
                                factory, scene.properties(AckMode.RECORD, properties.getMessageListener())));
            }
            scene.start(new ConcurrentMessageListenerContainer<>(factory, properties));
            scene.send("a", "b", "a");
            scene.awaitAllCommitted();
            assertThat(scene.effects).containsExactly("a", "b");
            assertThat(depths).hasSize(3).allSatisfy(depth -> assertThat(depth).isLessThan(100));
        }
    }

    @Test
    @DisplayName("K1 K16 a class-level listener with @KafkaHandler methods, tombstones among them")
    void classLevel() {
        try (Scene scene = new Scene()) {
            scene.send("a", "a");
            byte[] id = "t".getBytes(java.nio.charset.StandardCharsets.UTF_8);
            scene.send(scene.record(0, id, null));
            scene.send(scene.record(0, id, null));
            new AnnotatedScene(scene).start(new ClassLevel(scene));
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("v-a 1", "gone t");
        }
    }

    @Test
    @Tag(SpringKafkaLine.TAG_4) // makes ConsumerRecords with next offsets
    @DisplayName("K9 a batch interceptor that takes records out: those are the user's, the others are handled once")
    void batchInterceptor() {
        try (Scene scene = new Scene()) {
            scene.send("a", "out", "a", "b");
            var container = scene.container(
                    AckMode.BATCH, (BatchMessageListener<String, String>) records -> records.forEach(scene.effect()));
            List<Integer> seen = new CopyOnWriteArrayList<>();
            container.setBatchInterceptor((records, consumer) -> {
                seen.add(records.count());
                return Scene.without("out", records);
            });
            scene.runUntilCommitted(container);
            assertThat(scene.effects).containsExactly("a", "b");
            assertThat(seen).isNotEmpty();
        }
    }

    @Test
    @DisplayName("K12 static members and cooperative rebalancing, while handlers run: each message once, all committed")
    void staticCooperative() {
        try (Scene scene = new Scene(4, policy -> policy)) {
            int each = 60;
            for (int i = 0; i < each; i++) {
                for (int partition = 0; partition < 4; partition++) {
                    scene.sendTo(partition, partition + "-" + i);
                    scene.sendTo((partition + 1) % 4, partition + "-" + i); // resent to another partition
                }
            }
            List<ConcurrentMessageListenerContainer<String, String>> members = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                var container = scene.container(
                        scene.properties(AckMode.RECORD, (MessageListener<String, String>)
                                record -> scene.effect().accept(record)),
                        Map.of(
                                "group.instance.id",
                                "member-" + i,
                                "partition.assignment.strategy",
                                CooperativeStickyAssignor.class.getName(),
                                "max.poll.records",
                                10));
                members.add(scene.start(container));
                int seen = scene.effects.size();
                await().until(() -> scene.effects.size() > seen || scene.effects.size() == 4 * each);
            }
            members.get(0).stop(); // a static member that comes again gets its partitions back
            members.get(0).start();
            scene.awaitAllCommitted();
            assertThat(scene.effects).hasSize(4 * each).doesNotHaveDuplicates();
        }
    }

    @Test
    @DisplayName(
            "K10 K15 T10 an executor whose threads are used again: a restarted consumer has nothing of the one before")
    void reusedThreads() {
        ExecutorService one = Executors.newSingleThreadExecutor();
        try (Scene scene = new Scene()) {
            Started listener = new Started(scene);
            var context = new AnnotatedScene(scene)
                    .with(factory ->
                            factory.getContainerProperties().setListenerTaskExecutor(new TaskExecutorAdapter(one)))
                    .start(listener);
            var registry = context.getBean(KafkaListenerEndpointRegistry.class);
            scene.send("a", "b");
            await().until(() -> listener.running.size() == 2);
            registry.stop();

            scene.send("c");
            registry.start();
            // Still in flight, for the stopped consumer's handler; the restarted one waits.
            await().until(() -> scene.deferrals.size() >= 5);
            assertThat(scene.committed()).isEmpty();
            listener.running.forEach(end -> end.complete(null));
            await().until(() -> listener.running.size() == 3);
            // What comes again is asked of the consumer that there is now.
            listener.running.get(2).completeExceptionally(new IllegalStateException("once"));
            await().until(() -> listener.running.size() == 4);
            listener.running.get(3).complete(null);
            scene.awaitCommitted(3);
            assertThat(scene.effects).containsExactly("a", "b", "c", "c");
        } finally {
            one.shutdownNow();
        }
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with Java 21")
    @DisplayName(
            "K15 T10 consumers on virtual threads: copies, failures, what is in flight elsewhere, a lease renewed, a restart")
    void virtualThreads() {
        try (Scene scene = new Scene(2, policy -> policy.lease(Duration.ofMillis(500)))) {
            int each = 60;
            for (int i = 0; i < each; i++) {
                for (int partition = 0; partition < 2; partition++) {
                    scene.sendTo(partition, partition + "-" + i);
                    scene.sendTo(1 - partition, partition + "-" + i); // resent to the other partition
                }
            }
            Execution elsewhere = scene.runningElsewhere("0-50");
            AtomicInteger failures = new AtomicInteger(2);
            List<Boolean> virtual = new CopyOnWriteArrayList<>();
            var container = scene.container(AckMode.BATCH, (MessageListener<String, String>) record -> {
                virtual.add(isVirtual(Thread.currentThread()));
                if (Scene.id(record).equals("1-10") && failures.getAndDecrement() > 0) {
                    throw new IllegalStateException("for now");
                }
                if (Scene.id(record).equals("1-20")) { // longer than the lease
                    long start = System.nanoTime();
                    await().until(() ->
                            System.nanoTime() - start > Duration.ofMillis(1_200).toNanos());
                }
                scene.effect().accept(record);
            });
            container.setConcurrency(2);
            container.setCommonErrorHandler(new DefaultErrorHandler(new FixedBackOff(0, 5)));
            SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("virtual-");
            threads.setVirtualThreads(true);
            container.getContainerProperties().setListenerTaskExecutor(threads);
            scene.start(container);
            await().until(() -> scene.effects.contains("1-20"));
            await().until(() -> scene.deferrals.size() >= 5);
            container.stop();
            elsewhere.fail(new IllegalStateException("elsewhere"));
            container.start();
            scene.awaitAllCommitted();
            assertThat(scene.effects).hasSize(2 * each).doesNotHaveDuplicates();
            assertThat(scene.events).doesNotContain("lease lost 1-20");
            assertThat(virtual).containsOnly(true);
            assertThat(DedupAdapter.of(scene.dedup).inFlight()).isZero();
        }
    }

    /** Compiled for Java 17. */
    private static boolean isVirtual(Thread thread) {
        try {
            return (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static final class Started {
        private final Scene scene;
        final List<CompletableFuture<Void>> running = new CopyOnWriteArrayList<>();

        Started(Scene scene) {
            this.scene = scene;
        }

        @KafkaListener(id = "started", groupId = "${group}", topics = "${topic}")
        CompletableFuture<Void> on(ConsumerRecord<String, String> record) {
            scene.effect().accept(record);
            CompletableFuture<Void> end = new CompletableFuture<>();
            running.add(end);
            return end;
        }
    }

    @Test
    @DisplayName("K15 pause and resume of a container whose work ends later")
    void pauseAndResume() {
        try (Scene scene = new Scene()) {
            Started listener = new Started(scene);
            var container = new AnnotatedScene(scene)
                    .start(listener)
                    .getBean(KafkaListenerEndpointRegistry.class)
                    .getListenerContainer("started");
            scene.send("a");
            await().until(() -> listener.running.size() == 1);
            container.pause();
            await().until(container::isContainerPaused);
            scene.send("b");
            listener.running.get(0).complete(null);
            scene.awaitCommitted(1);
            assertThat(scene.effects).containsExactly("a");
            container.resume();
            await().until(() -> listener.running.size() == 2);
            listener.running.get(1).complete(null);
            scene.awaitCommitted(2);
        }
    }
}
