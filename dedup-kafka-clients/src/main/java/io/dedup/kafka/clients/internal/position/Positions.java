package io.dedup.kafka.clients.internal.position;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far the records of the last poll are handled. What isn't handled when the poll's turns are over, for whatever
 * reason, is fetched again: until that has worked, the consumer must not poll. Used by the consumer's thread.
 */
public final class Positions {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.kafka.clients.DedupPoll");
    private static final Duration ASKING = Duration.ofSeconds(1);

    private final Consumer<?, ?> consumer;
    private final HandledOffsets offsets;
    private final Map<TopicPartition, Long> handledUpTo = new HashMap<>();
    private final Set<TopicPartition> gone = new HashSet<>();
    private @Nullable ConsumerRecords<?, ?> polled;

    public Positions(Consumer<?, ?> consumer, HandledOffsets offsets) {
        this.consumer = consumer;
        this.offsets = offsets;
    }

    /** The consumer has returned these, so its positions are beyond them. Never fails. */
    public void polled(ConsumerRecords<?, ?> records) {
        polled = records;
    }

    /** The record need not be delivered again, nor do those before it in its partition. */
    public void handled(TopicPartition partition, ConsumerRecord<?, ?> record) {
        handledUpTo.put(partition, record.offset() + 1);
        offsets.handled(partition, record);
    }

    /**
     * Whether the handler, which has returned, has sought to this record or below it. Some seeks leave it to the
     * consumer to ask the broker where to. A position that isn't known in time, for example while the partition has no
     * leader, counts as unchanged, and so does one that cannot be asked for: neither is a failure of the handler.
     */
    public boolean isSoughtBack(TopicPartition partition, ConsumerRecord<?, ?> record) {
        long until = System.nanoTime() + ASKING.toNanos();
        boolean interrupted = Thread.interrupted(); // the consumer would refuse to answer
        try {
            while (true) {
                try {
                    return consumer.assignment().contains(partition)
                            && consumer.position(partition, timeTo(until)) <= record.offset();
                } catch (WakeupException e) { // no answer, and meant for the poll
                    offsets.wakeUp();
                } catch (InterruptException e) { // no answer, either
                    interrupted = true;
                    boolean unused = Thread.interrupted(); // it has set the flag
                }
            }
        } catch (RuntimeException e) {
            log.debug("Cannot find out whether a handler has sought back; its record counts as handled", e);
            return false;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static Duration timeTo(long until) {
        return Duration.ofNanos(Math.max(0, until - System.nanoTime()));
    }

    /** Sets the consumer's positions back to the first records that aren't handled. */
    public void rewind() {
        ConsumerRecords<?, ?> records = polled;
        if (records == null) {
            return;
        }
        Set<TopicPartition> assigned = consumer.assignment();
        for (TopicPartition partition : records.partitions()) {
            List<? extends ConsumerRecord<?, ?>> some = records.records(partition);
            if (some.isEmpty()) {
                continue; // a ConsumerInterceptor has removed them all
            }
            long next = handledUpTo.getOrDefault(partition, some.get(0).offset());
            boolean complete = next > some.get(some.size() - 1).offset();
            if (!complete && assigned.contains(partition) && !gone.contains(partition)) {
                consumer.seek(partition, next);
            }
        }
        polled = null; // last: if a seek fails, all are repeated
        handledUpTo.clear();
        gone.clear();
    }

    /** The group has taken these from the consumer: it fetches them from the committed offset if they come back. */
    void forget(Collection<TopicPartition> partitions) {
        if (polled != null) {
            gone.addAll(partitions);
        }
    }
}
