package io.dedup.simulation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;

/** The containers of one process: its listener's and its neighbor's, or one for each retry topic, which live in an application context. */
final class ListenerContainers {
    private static final Duration STOP_TAKES = Duration.ofSeconds(5);

    private final @Nullable AnnotationConfigApplicationContext context;
    private List<ConcurrentMessageListenerContainer<String, String>> containers;

    ListenerContainers(List<ConcurrentMessageListenerContainer<String, String>> containers) {
        this.context = null;
        this.containers = containers;
    }

    ListenerContainers(AnnotationConfigApplicationContext context) {
        this.context = context;
        this.containers = List.of();
    }

    /** Throws what spring-kafka or the adapter refuses. */
    void start(Consumer<ConcurrentMessageListenerContainer<String, String>> before) {
        if (context != null) {
            context.refresh();
            containers = RetryTopics.containers(context);
        }
        containers.forEach(before);
        containers.forEach(ConcurrentMessageListenerContainer::start);
    }

    boolean isInExpectedState() {
        return containers.stream().allMatch(ConcurrentMessageListenerContainer::isInExpectedState);
    }

    /** All at once: a consumer that waits for its turn stops in it. */
    void stop() {
        CountDownLatch stopped = new CountDownLatch(containers.size());
        for (ConcurrentMessageListenerContainer<String, String> each : containers) {
            if (each.isRunning()) {
                each.stop(stopped::countDown);
            } else {
                stopped.countDown();
            }
        }
        try {
            boolean unused = stopped.await(STOP_TAKES.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (context != null) {
            context.close();
        }
    }
}
