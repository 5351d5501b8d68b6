package io.dedup.kafka.internal.poll;

import io.dedup.kafka.internal.Partitions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The records of a consumer's last poll, for listeners that handle several of them in one transaction at the first one's turn.
 *
 * <p>It decides nothing, and can be forgotten at any time: a record that isn't known to be handled is claimed at its turn, and is a
 * duplicate then if it was handled. A handled record is recognized as an object, so that no other record at the same offset can be
 * taken for it. Used by the consumer's thread.
 */
public final class PolledRecords {
    private static final int FEWEST = 2;

    private final Set<ConsumerRecord<?, ?>> handled = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<TopicPartition, NavigableSet<Long>> alone = new HashMap<>();
    private @Nullable ConsumerRecords<?, ?> polled;
    private List<ConsumerRecord<?, ?>> records = List.of();
    private int next;
    private int most = Integer.MAX_VALUE;

    /** The container gets these records, and gives them to its listener in their order. */
    void polled(ConsumerRecords<?, ?> poll) {
        polled = poll;
        records = List.of();
        next = 0;
        handled.clear();
    }

    /** These partitions, or all if null, belong to another consumer now. */
    void forget(@Nullable Collection<TopicPartition> partitions) {
        polled(ConsumerRecords.empty());
        if (partitions == null) {
            alone.clear();
        } else {
            alone.keySet().removeAll(partitions);
        }
    }

    /** Those of the last poll from this one on, in the order of their turns; empty if this one isn't among them. */
    public List<ConsumerRecord<?, ?>> from(ConsumerRecord<?, ?> record) {
        ConsumerRecords<?, ?> unread = polled;
        if (unread != null) {
            polled = null;
            records = new ArrayList<>(unread.count());
            unread.forEach(records::add);
        }
        for (int i = next; i < records.size(); i++) {
            if (records.get(i) == record) {
                next = i;
                return Collections.unmodifiableList(records.subList(i, records.size()));
            }
        }
        return List.of();
    }

    /** The handlers of these records have been called, and what they did is committed. */
    public void handled(Collection<? extends ConsumerRecord<?, ?>> committed) {
        handled.addAll(committed);
        if (most < Integer.MAX_VALUE) {
            most++;
        }
    }

    /** A transaction of so many records was undone, and none of them is to blame: the next ones are smaller for a while. */
    public void undone(int size) {
        most = Math.max(FEWEST, size / 2);
    }

    /** How many records may share a transaction now, of the maximum that is set. */
    public int most(int maximum) {
        return Math.min(maximum, most);
    }

    /** Whether this record, whose turn it is, is handled. Says so once. */
    public boolean takeHandled(ConsumerRecord<?, ?> record) {
        return !handled.isEmpty() && handled.remove(record);
    }

    /** These run in a transaction of their own, also when they are redelivered. */
    public void runAlone(Collection<? extends ConsumerRecord<?, ?>> them) {
        for (ConsumerRecord<?, ?> record : them) {
            alone.computeIfAbsent(Partitions.of(record), partition -> new TreeSet<>())
                    .add(record.offset());
        }
    }

    /** Whether this record runs in a transaction of its own. */
    public boolean runsAlone(ConsumerRecord<?, ?> record) {
        NavigableSet<Long> offsets = alone.isEmpty() ? null : alone.get(Partitions.of(record));
        return offsets != null && offsets.contains(record.offset());
    }

    /** This record's turn has come, so that those below it in its partition are over. */
    public void begun(ConsumerRecord<?, ?> record) {
        NavigableSet<Long> offsets = alone.isEmpty() ? null : alone.get(Partitions.of(record));
        if (offsets != null) {
            offsets.headSet(record.offset()).clear();
            if (offsets.isEmpty()) {
                alone.remove(Partitions.of(record));
            }
        }
    }
}
