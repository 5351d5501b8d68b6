package io.dedup.kafka.internal.poll;

import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.ack.Redeliveries;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Seeks back, before a poll, to records that would otherwise be lost: those that the container has dropped, and those
 * that have failed meanwhile.
 *
 * <p>It never seeks forward, since everything between would be lost: where the position isn't known now, it leaves the
 * partition for the next poll. And it never seeks below the log's start ({@link LogStarts}).
 */
final class FetchAgain {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    /** The pause before the same records are fetched once more. */
    private static final Duration BETWEEN_DROPS = Duration.ofMillis(100);

    private final OutstandingRecords outstanding;
    private final Redeliveries redeliveries;
    private final WakeUps wakeUps;
    private Map<TopicPartition, Long> lastDropped = Map.of();

    FetchAgain(OutstandingRecords outstanding, Redeliveries redeliveries, WakeUps wakeUps) {
        this.outstanding = outstanding;
        this.redeliveries = redeliveries;
        this.wakeUps = wakeUps;
    }

    /**
     * If the container dropped polled records after an exception, the next poll begins there.
     *
     * @param kept what the container still has, and will hand out itself; null if that isn't known
     * @throws Throwable what the consumer throws; the next poll tries again
     */
    void dropped(Consumer<?, ?> target, @Nullable ConsumerRecords<?, ?> kept) throws Throwable {
        if (!outstanding.dropIsSuspected()) {
            return;
        }
        Map<TopicPartition, Long> endsOfKept = outstanding.keeps(kept);
        Map<TopicPartition, Long> dropped = outstanding.offsets();
        endsOfKept.forEach((partition, end) ->
                dropped.computeIfPresent(partition, (same, first) -> outstanding.holds(partition, end) ? end : null));
        dropped.keySet().retainAll(target.assignment());
        Set<TopicPartition> later = new HashSet<>();
        seekBack(dropped, target, later)
                .forEach((partition, offset) -> log.warn(
                        "spring-kafka dropped polled records of partition {} after an exception; fetching them again"
                                + " from offset {}",
                        partition,
                        offset));
        if (dropped.equals(lastDropped)) {
            LockSupport.parkNanos(BETWEEN_DROPS.toNanos()); // repeated exceptions must not make the consumer spin
        }
        lastDropped = dropped;
        outstanding.restored(later, endsOfKept);
    }

    /**
     * Seeks to records that failed after their listener had returned. The container logs and forgets a seek that fails,
     * and records that it kept in a pause may be deferred behind the seek.
     *
     * @throws Throwable what the consumer throws; the next poll tries again
     */
    void awaited(Consumer<?, ?> target) throws Throwable {
        Map<TopicPartition, Long> failed = redeliveries.awaited();
        if (failed.isEmpty()) {
            return;
        }
        failed.keySet().retainAll(target.assignment());
        failed.entrySet().removeIf(each -> outstanding.holds(each.getKey(), each.getValue()));
        seekBack(failed, target, new HashSet<>()).forEach(redeliveries::deletedBelow);
    }

    /**
     * Seeks where the position is beyond these offsets, and returns where to.
     *
     * @param later collects the partitions whose position or log start isn't known now
     */
    private Map<TopicPartition, Long> seekBack(
            Map<TopicPartition, Long> offsets, Consumer<?, ?> target, Set<TopicPartition> later) throws Throwable {
        Map<TopicPartition, Long> back = new HashMap<>();
        for (Map.Entry<TopicPartition, Long> each : offsets.entrySet()) {
            Long position = positionOf(each.getKey(), target);
            if (position == null) {
                later.add(each.getKey());
            } else if (position > each.getValue()) { // otherwise the position was moved back already
                back.put(each.getKey(), each.getValue());
            }
        }
        Map<TopicPartition, Long> within = LogStarts.within(back, target);
        within.forEach(target::seek);
        back.keySet().removeAll(within.keySet());
        later.addAll(back.keySet());
        return within;
    }

    /**
     * Null if the consumer doesn't know its position, for example while it looks for the partition's leader. It polls
     * nothing of the partition until then, and other partitions must not wait. A seek without knowing the position
     * could go forward.
     */
    @Nullable
    Long positionOf(TopicPartition partition, Consumer<?, ?> target) throws Throwable {
        try {
            return wakeUps.untilDone(() -> target.position(partition, Duration.ZERO));
        } catch (TimeoutException e) {
            return null;
        }
    }
}
