package io.dedup.kafka.internal.poll;

import io.dedup.kafka.internal.KafkaLog;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps seeks that go back within the log. Retention may have deleted what they go back to, and below the log's start
 * {@code auto.offset.reset} decides: its default goes on at the log's end, and everything in between is lost.
 */
public final class LogStarts {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    private static final Duration ASKING = Duration.ofSeconds(1);
    private static final int TRIES = 5;

    private LogStarts() {}

    /** Seeks back at once: if the broker doesn't say where a log begins, to the offset as it is. */
    public static void seekBack(Map<TopicPartition, Long> offsets, Consumer<?, ?> consumer) {
        offsets.forEach(consumer::seek); // first: asking may fail
        within(offsets, consumer).forEach((partition, offset) -> {
            if (offset > offsets.getOrDefault(partition, offset)) {
                consumer.seek(partition, offset);
            }
        });
    }

    /** Returns these offsets, or the log's start where that is higher; without partitions whose start isn't known. */
    static Map<TopicPartition, Long> within(Map<TopicPartition, Long> offsets, Consumer<?, ?> consumer) {
        Map<TopicPartition, Long> starts = new HashMap<>(of(offsets.keySet(), consumer, ASKING));
        if (starts.isEmpty() && offsets.size() > 1) { // one without a leader must not hold the others back
            for (TopicPartition each : offsets.keySet()) {
                starts.putAll(of(Set.of(each), consumer, ASKING.dividedBy(offsets.size())));
            }
        }
        starts.replaceAll((partition, start) -> Math.max(start, offsets.getOrDefault(partition, start)));
        return starts;
    }

    /** Empty if the broker doesn't answer. */
    private static Map<TopicPartition, Long> of(
            Collection<TopicPartition> partitions, Consumer<?, ?> consumer, Duration timeout) {
        if (partitions.isEmpty()) {
            return Map.of();
        }
        Consumer<?, ?> unwatched =
                ConsumerWrapper.unwatched(consumer); // a failure here makes no container drop records
        for (int i = 0; i < TRIES; i++) {
            try {
                return unwatched.beginningOffsets(partitions, timeout);
            } catch (WakeupException e) { // meant for a poll, which ends in time without it
                log.debug("Woken up while asking where the logs of {} begin", partitions);
            } catch (RetriableException | InterruptException e) {
                log.debug("Cannot find out now where the logs of {} begin", partitions, e);
                return Map.of();
            } catch (RuntimeException e) { // asking again won't help: as without retention
                log.debug("Cannot find out where the logs of {} begin", partitions, e);
                return partitions.stream().collect(Collectors.toMap(each -> each, each -> 0L));
            }
        }
        return Map.of();
    }
}
