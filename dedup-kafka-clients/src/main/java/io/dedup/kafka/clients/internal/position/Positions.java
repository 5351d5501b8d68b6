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
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * How far the records of the last poll are handled. What isn't handled when the poll's turns are over, for whatever
 * reason, is fetched again: until that has worked, the consumer must not poll. Used by the consumer's thread.
 */
public final class Positions {
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
     * Whether the handler has sought to this record or below it. Some seeks leave it to the consumer to ask the broker
     * where to. A position that isn't known in time, for example while the partition has no leader, counts as unchanged.
     */
    public boolean isSoughtBack(TopicPartition partition, ConsumerRecord<?, ?> record) {
        try {
            return consumer.assignment().contains(partition) && consumer.position(partition, ASKING) <= record.offset();
        } catch (TimeoutException e) {
            return false;
        } catch (WakeupException e) { // meant for the next poll
            consumer.wakeup();
            return false;
        }
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
