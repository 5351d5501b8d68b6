package io.dedup.kafka.internal.settlement;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The records of a poll that a batch handler is given, in a list of its own. The handler's side may change this list: a
 * {@code RecordFilterStrategy} in front of the handler removes the records that it filters out. Indexes that the
 * handler passes count the changed list, so they are translated through it.
 *
 * <p>Used by one call of a handler.
 */
public final class HandedBatch<K, V> {
    private final List<Integer> indexes;
    private final List<ConsumerRecord<K, V>> records;
    private final List<ConsumerRecord<K, V>> list;

    /**
     * Selects records of a poll.
     *
     * @param indexes where they are in the poll, ascending
     */
    public HandedBatch(List<ConsumerRecord<K, V>> poll, List<Integer> indexes) {
        this.indexes = List.copyOf(indexes);
        this.records = indexes.stream().map(poll::get).toList();
        this.list = new ArrayList<>(records);
    }

    /** The list for the handler. */
    public List<ConsumerRecord<K, V>> list() {
        return list;
    }

    public int size() {
        return records.size();
    }

    public ConsumerRecord<K, V> record(int position) {
        return records.get(position);
    }

    /** The indexes of these records in the poll. */
    public List<Integer> indexes() {
        return indexes;
    }

    /** The index in the poll of the record at a position. */
    public int index(int position) {
        return indexes.get(position);
    }

    /** The position that an index of the handler's list refers to; -1 if that is ambiguous. */
    public int position(int handlersIndex) {
        int[] positions = positions();
        return positions != null && handlersIndex >= 0 && handlersIndex < positions.length
                ? positions[handlersIndex]
                : -1;
    }

    /**
     * The position of this record; -1 if it isn't among them, or if the records before it aren't known to be handled.
     */
    public int position(ConsumerRecord<?, ?> record) {
        if (positions() == null) {
            return -1;
        }
        for (int i = 0; i < records.size(); i++) {
            ConsumerRecord<?, ?> each = records.get(i);
            if (each.offset() == record.offset()
                    && each.partition() == record.partition()
                    && each.topic().equals(record.topic())) {
                return i;
            }
        }
        return -1;
    }

    /** The current size of the handler's list. */
    public int listSize() {
        return list.size();
    }

    /** The positions of the records in the handler's list; null if the list is no longer in the poll's order. */
    private int @Nullable [] positions() {
        int[] positions = new int[list.size()];
        int position = 0;
        for (int i = 0; i < positions.length; i++) {
            while (position < records.size() && records.get(position) != list.get(i)) {
                position++;
            }
            if (position == records.size()) {
                return null;
            }
            positions[i] = position++;
        }
        return positions;
    }
}
