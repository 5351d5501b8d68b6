package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.FixedBackOff;

/** K18: a record whose future has failed is fetched again, whatever becomes of the seek that the container is asked for. */
class FetchAgainTest {
    private final CompletableFuture<Void> work = new CompletableFuture<>();
    private final Map<String, Integer> runs = new ConcurrentHashMap<>();
    private final List<Long> seeks = new CopyOnWriteArrayList<>();
    private final AtomicBoolean positionFails = new AtomicBoolean();
    private final CountDownLatch failed = new CountDownLatch(1);
    private volatile Runnable atB = () -> {};

    final class Futures {
        private final Scene scene;

        Futures(Scene scene) {
            this.scene = scene;
        }

        @KafkaListener(id = "futures", groupId = "${group}", topics = "${topic}")
        CompletableFuture<Void> on(ConsumerRecord<String, String> record) {
            String id = Scene.id(record);
            int run = runs.merge(id, 1, Integer::sum);
            scene.effect().accept(record);
            if (id.equals("a") && run == 1) {
                return work;
            }
            if (id.equals("b")) {
                atB.run();
            }
            return CompletableFuture.completedFuture(null);
        }
    }

    @SuppressWarnings("unchecked")
    private <K, V> Consumer<K, V> seen(Consumer<K, V> consumer) {
        return (Consumer<K, V>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("position") && positionFails.compareAndSet(true, false)) {
                        failed.countDown();
                        throw new TimeoutException("no leader for now");
                    }
                    if (method.getName().equals("seek") && arguments[1] instanceof Long offset) {
                        seeks.add(offset);
                    }
                    try {
                        return method.invoke(consumer, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private KafkaListenerEndpointRegistry start(Scene scene) {
        AnnotatedScene annotated = new AnnotatedScene(scene).with(factory -> {
            factory.setCommonErrorHandler(new DefaultErrorHandler(new FixedBackOff(0, 3)));
            factory.getContainerProperties().setPauseImmediate(true);
            ConsumerFactory<? super String, ? super String> consumers = factory.getConsumerFactory();
            addTo(consumers);
        });
        return annotated.start(new Futures(scene)).getBean(KafkaListenerEndpointRegistry.class);
    }

    private <K, V> void addTo(ConsumerFactory<K, V> consumers) {
        consumers.addPostProcessor(this::seen);
    }

    @Test
    @DisplayName("K18 when the consumer couldn't tell its position")
    void positionFails() throws Exception {
        try (Scene scene = new Scene()) {
            scene.send("a", "b");
            var unused = start(scene);
            scene.awaitEffects("a", "b");
            positionFails.set(true);
            work.completeExceptionally(new IllegalStateException("for once"));
            assertThat(failed.await(Scene.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            await().until(() -> scene.committed().getOrDefault(0, 0L) == 2);
            assertThat(runs).containsEntry("a", 2);
        }
    }

    @Test
    @DisplayName("K18 when a deferral of a record that the container kept in a pause seeks beyond it")
    void soughtBeyond() throws Exception {
        try (Scene scene = new Scene()) {
            Execution elsewhere = scene.runningElsewhere("c");
            CompletableFuture<KafkaListenerEndpointRegistry> registry = new CompletableFuture<>();
            atB = () -> registry.join().getListenerContainer("futures").pause();
            scene.send("a", "b", "c", "d");
            registry.complete(start(scene));
            scene.awaitEffects("a", "b");
            var container = registry.join().getListenerContainer("futures");
            await().until(container::isContainerPaused);
            work.completeExceptionally(new IllegalStateException("for once"));
            await().until(() -> seeks.contains(0L));
            seeks.clear();
            container.resume();
            await().until(() -> !scene.deferrals.isEmpty());
            var done = elsewhere.succeed(null, WaitBudget.none());
            await().until(() -> scene.committed().getOrDefault(0, 0L) == 4);
            assertThat(done).isNotNull();
            assertThat(runs).containsEntry("a", 2).containsEntry("d", 1);
        }
    }
}
