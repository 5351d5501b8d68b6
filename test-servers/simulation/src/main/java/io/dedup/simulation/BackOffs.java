package io.dedup.simulation;

import static java.util.Objects.requireNonNull;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.kafka.listener.KafkaBackOffManagerFactory;
import org.springframework.kafka.listener.KafkaBackoffException;
import org.springframework.kafka.listener.KafkaConsumerBackoffManager;
import org.springframework.kafka.listener.ListenerContainerRegistry;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.retrytopic.RetryTopicComponentFactory;

/**
 * The back-offs of retry topics in simulated time: a poll takes a millisecond. Holds partitions back as spring-kafka's
 * {@code ContainerPartitionPausingBackOffManager} does, which looks at the system's clock. Used by one thread at a time.
 */
final class BackOffs extends RetryTopicComponentFactory {
    private final Consumer<String> steps;
    private final List<Held> held = new ArrayList<>();

    private record Held(long until, Runnable resumption) {}

    /** Far from the system's time, so that nothing is due that was stamped by that. */
    private static final class Polls extends Clock {
        private Instant now = Instant.parse("2100-01-01T00:00:00Z");

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException("nobody asks for it");
        }
    }

    BackOffs(Consumer<String> steps) {
        this.steps = steps;
    }

    @Override
    protected Clock createInternalRetryTopicClock() {
        return new Polls();
    }

    private Polls clock() {
        return (Polls) internalRetryTopicClock();
    }

    /** Another poll. */
    void tick() {
        clock().now = clock().now.plus(Duration.ofMillis(1));
        List<Held> due =
                held.stream().filter(each -> each.until <= clock().millis()).toList();
        held.removeAll(due);
        due.forEach(each -> each.resumption.run());
    }

    /** Whether partitions are paused that another poll may resume. */
    boolean hold() {
        return !held.isEmpty();
    }

    /** Another container has been made. */
    void restarted() {
        held.clear();
    }

    @Override
    public KafkaBackOffManagerFactory kafkaBackOffManagerFactory(
            @Nullable ListenerContainerRegistry registry, ApplicationContext context) {
        return () -> held -> holdBack(requireNonNull(registry), held);
    }

    private void holdBack(ListenerContainerRegistry registry, KafkaConsumerBackoffManager.Context context) {
        if (context.getDueTimestamp() <= clock().millis()) {
            return;
        }
        MessageListenerContainer container = requireNonNull(registry.getListenerContainer(context.getListenerId()));
        steps.accept("held back: " + context.getTopicPartition());
        container.pausePartition(context.getTopicPartition());
        held.add(new Held(context.getDueTimestamp(), () -> container.resumePartition(context.getTopicPartition())));
        throw new KafkaBackoffException(
                "not due yet", context.getTopicPartition(), context.getListenerId(), context.getDueTimestamp());
    }
}
