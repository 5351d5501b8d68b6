package io.dedup.simulation;

import io.dedup.simulation.Circumstances.Place;
import io.dedup.simulation.Circumstances.UserCall;
import io.dedup.simulation.draw.Draws;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;

/** What the application does with its consumer or its container in the middle of a poll's records. */
final class UserCalls {
    private static final Duration STOP_TAKES = Duration.ofMillis(100);

    private final Circumstances circumstances;
    private final Draws draws;
    private final Consumer<String> steps;
    private final Runnable stop;
    private final Map<String, Integer> times = new HashMap<>();
    private final List<Resumption> resumptions = new ArrayList<>();
    private int resumeIn;
    /** Of each consumer's thread: others go on while one polls in the middle of its records. */
    private final Map<Thread, Integer> depth = new ConcurrentHashMap<>();

    /** @param thread the only one that may use what is resumed; null if any may */
    private record Resumption(Runnable resumption, @Nullable Thread thread) {}

    /** @param stop asks for a restart of the container */
    UserCalls(Circumstances circumstances, Draws draws, Consumer<String> steps, Runnable stop) {
        this.circumstances = circumstances;
        this.draws = draws;
        this.steps = steps;
        this.stop = stop;
    }

    boolean isInUserCode() {
        return depth.containsKey(Thread.currentThread());
    }

    /** What was paused is resumed after a while. */
    void tick() {
        if (!resumptions.isEmpty() && --resumeIn <= 0) {
            List<Resumption> due = resumptions.stream()
                    .filter(each -> each.thread == null || each.thread == Thread.currentThread())
                    .toList();
            if (!due.isEmpty()) {
                steps.accept("resume");
                resumptions.removeAll(due);
                due.forEach(each -> each.resumption.run());
            }
        }
    }

    /** Another container has been made: no thread of the last one polls any more. */
    void restarted() {
        resumptions.removeIf(each -> each.thread != null);
    }

    boolean isQuiet() {
        return resumptions.isEmpty();
    }

    /** The process has died. */
    void crashed() {
        resumptions.clear();
    }

    /** The container is paused by whoever operates it. */
    void pause(int tick, AbstractMessageListenerContainer<?, ?> container) {
        if (resumptions.isEmpty() && draws.happens("pause", "at poll " + tick)) {
            steps.accept("the operator pauses the container");
            container.pause();
            resumeLater(container::resume, null);
        }
    }

    private void resumeLater(Runnable resumption, @Nullable Thread thread) {
        resumptions.add(new Resumption(resumption, thread));
        resumeIn = 1 + draws.below(5, "pause " + times);
    }

    void call(
            Place place,
            ConsumerRecord<?, ?> record,
            org.apache.kafka.clients.consumer.@Nullable Consumer<?, ?> consumer,
            AbstractMessageListenerContainer<?, ?> container) {
        if (place != circumstances.place() || circumstances.userCall() == UserCall.NONE || consumer == null) {
            return;
        }
        String value = String.valueOf(record.value());
        if (!draws.happens(
                place + " calls " + circumstances.userCall(),
                "with " + value + " the " + times.merge(value, 1, Integer::sum) + ". time")) {
            return;
        }
        steps.accept(
                place + " calls " + circumstances.userCall() + " at " + record.partition() + "@" + record.offset());
        depth.merge(Thread.currentThread(), 1, Integer::sum);
        try {
            call(place, new TopicPartition(record.topic(), record.partition()), record.offset(), consumer, container);
        } catch (RuntimeException e) {
            steps.accept("and gets " + e);
        } finally {
            depth.computeIfPresent(Thread.currentThread(), (thread, calls) -> calls == 1 ? null : calls - 1);
        }
    }

    private void call(
            Place place,
            TopicPartition partition,
            long offset,
            org.apache.kafka.clients.consumer.Consumer<?, ?> consumer,
            AbstractMessageListenerContainer<?, ?> container) {
        switch (circumstances.userCall()) {
            case NONE -> {}
            case POLL -> consumer.poll(Duration.ofMillis(1));
            case COMMIT_BELOW -> consumer.commitSync(Map.of(partition, new OffsetAndMetadata(offset)));
            case COMMIT_POSITIONS -> {
                if (place == Place.HANDLER && draws.below(2, "names the positions") == 0) {
                    consumer.commitSync(positions(consumer));
                } else {
                    consumer.commitSync();
                }
            }
            case COMMIT_OWN -> consumer.commitSync(Map.of(partition, new OffsetAndMetadata(offset + 1)));
            case PAUSE_CONTAINER -> {
                container.pause();
                resumeLater(container::resume, null);
            }
            case PAUSE_PARTITION -> {
                container.pausePartition(partition);
                resumeLater(() -> container.resumePartition(partition), null);
            }
            case PAUSE_CONSUMER -> {
                Set<TopicPartition> all = new HashSet<>(consumer.assignment());
                all.removeAll(consumer.paused());
                consumer.pause(all);
                resumeLater(
                        () -> {
                            all.retainAll(consumer.assignment());
                            consumer.resume(all);
                        },
                        circumstances.hasSeveralConsumers() ? Thread.currentThread() : null);
            }
            case STOP -> {
                stop.run();
                long end = System.nanoTime() + STOP_TAKES.toNanos();
                while (container.isRunning() && System.nanoTime() < end) {
                    LockSupport.parkNanos(100_000);
                }
            }
        }
    }

    private static Map<TopicPartition, OffsetAndMetadata> positions(
            org.apache.kafka.clients.consumer.Consumer<?, ?> consumer) {
        Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
        consumer.assignment().forEach(each -> positions.put(each, new OffsetAndMetadata(consumer.position(each))));
        return positions;
    }
}
