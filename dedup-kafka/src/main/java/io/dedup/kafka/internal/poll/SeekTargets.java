package io.dedup.kafka.internal.poll;

import io.dedup.kafka.internal.KafkaLog;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where seeks go that name no offset: found out when they are asked for, because the container computes it only before its next
 * poll. Each answer is null if it cannot be found out now; asking takes no longer than the consumer's
 * {@code default.api.timeout.ms}. Used by the consumer's thread.
 */
public final class SeekTargets {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private final ContainersConsumer consumer;
    private final WakeUps wakeUps;

    SeekTargets(ContainersConsumer consumer, WakeUps wakeUps) {
        this.consumer = consumer;
        this.wakeUps = wakeUps;
    }

    /**
     * What a function of user code makes of the position.
     *
     * @param position when it was asked
     */
    public record Computed(long position, long target) {
        /** For the container, which seeks later: if the position was moved back since, it passes nothing from there on. */
        public long from(long later) {
            return later < position ? Math.min(later, target) : target;
        }
    }

    public @Nullable Computed computed(TopicPartition partition, Function<Long, @Nullable Long> function) {
        return ask(partition, target -> {
            long position = target.position(partition);
            Long computed = function.apply(position);
            return computed == null ? null : new Computed(position, computed);
        });
    }

    /** This far above the log's start. */
    public @Nullable Long fromBeginning(TopicPartition partition, long distance) {
        return ask(partition, target -> {
            Long start = LogStarts.within(Map.of(partition, 0L), target).get(partition);
            return start == null ? null : start + distance;
        });
    }

    /** This far below the log's end, at or above 0. */
    public @Nullable Long fromEnd(TopicPartition partition, long distance) {
        return ask(partition, target -> {
            Long end = target.endOffsets(List.of(partition)).get(partition);
            return end == null ? null : Math.max(0, end + distance);
        });
    }

    /** The first records from this time on; without partitions that have none, where the container doesn't seek. */
    public @Nullable Map<TopicPartition, Long> at(Collection<TopicPartition> partitions, long timestamp) {
        Map<TopicPartition, Long> times = new HashMap<>();
        partitions.forEach(each -> times.put(each, timestamp));
        return ask(partitions, target -> {
            Map<TopicPartition, Long> offsets = new HashMap<>();
            target.offsetsForTimes(times).forEach((partition, found) -> {
                if (found != null) {
                    offsets.put(partition, found.offset());
                }
            });
            return offsets;
        });
    }

    private <T> @Nullable T ask(Object what, Function<Consumer<?, ?>, @Nullable T> question) {
        Consumer<?, ?> target = consumer.target();
        if (target == null) {
            return null;
        }
        try {
            return wakeUps.untilDone(() -> question.apply(target));
        } catch (Exception e) { // also what a function of user code throws: the container calls it again, and logs that
            log.debug("Cannot find out now where a seek of {} goes", what, e);
            return null;
        } catch (Throwable e) {
            throw (Error) e;
        }
    }
}
