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

    private final Consumer<?, ?> consumer;
    private final HandledOffsets offsets;
    private final Duration asking;
    private final Map<TopicPartition, Long> handledUpTo = new HashMap<>();
    private final Set<TopicPartition> gone = new HashSet<>();
    private @Nullable ConsumerRecords<?, ?> polled;

    /** @param asking how long it may ask for positions after a handler, so that the next poll comes in time */
    public Positions(Consumer<?, ?> consumer, HandledOffsets offsets, Duration asking) {
        this.consumer = consumer;
        this.offsets = offsets;
        this.asking = asking;
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
     * Returns where the consumer continues in these partitions, after a call of the handler has returned, which may
     * have sought. Some seeks leave it to the consumer to ask the broker where to. A position that isn't known in
     * time, for example while the partition has no leader, or that cannot be asked for, is left out: neither is a
     * failure of the handler. All partitions share that time.
     */
    public Map<TopicPartition, Long> afterHandler(Set<TopicPartition> partitions) {
        Map<TopicPartition, Long> known = new HashMap<>();
        long until = System.nanoTime() + asking.toNanos();
        boolean interrupted = Thread.interrupted(); // the consumer would refuse to answer
        try {
            for (TopicPartition each : partitions) {
                while (!isAnswered(each, until, known)) {
                    interrupted |= Thread.interrupted(); // an interruption has set the flag again
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return known;
    }

    /** Returns false after a wake-up or an interruption: neither is an answer. */
    private boolean isAnswered(TopicPartition partition, long until, Map<TopicPartition, Long> known) {
        try {
            if (consumer.assignment().contains(partition)) {
                Duration left = Duration.ofNanos(Math.max(0, until - System.nanoTime()));
                known.put(partition, consumer.position(partition, left));
            }
        } catch (WakeupException e) { // meant for the poll
            offsets.wakeUp();
            return false;
        } catch (InterruptException e) {
            return false;
        } catch (RuntimeException e) {
            log.debug("Cannot find out whether a handler has sought back; its records count as handled", e);
        }
        return true;
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
