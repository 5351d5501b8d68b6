package io.dedup.kafka.internal.settlement;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The records of a poll that a batch handler is given, in a list of its own. Whoever gets that list may change it: a
 * {@code RecordFilterStrategy} in front of the handler removes from it what it filters out. Indexes that the handler
 * names count the list as it is then, so they are read through it.
 *
 * <p>Belongs to one call of a handler.
 */
public final class HandedBatch<K, V> {
    private final List<Integer> indexes;
    private final List<ConsumerRecord<K, V>> records;
    private final List<ConsumerRecord<K, V>> list;

    /**
     * Some records of a poll.
     *
     * @param indexes where they are in the poll, ascending
     */
    public HandedBatch(List<ConsumerRecord<K, V>> poll, List<Integer> indexes) {
        this.indexes = List.copyOf(indexes);
        this.records = indexes.stream().map(poll::get).toList();
        this.list = new ArrayList<>(records);
    }

    /** For the handler. */
    public List<ConsumerRecord<K, V>> list() {
        return list;
    }

    public int size() {
        return records.size();
    }

    public ConsumerRecord<K, V> record(int position) {
        return records.get(position);
    }

    /** Where in the poll the records are. */
    public List<Integer> indexes() {
        return indexes;
    }

    /** Where in the poll the record at a position is. */
    public int index(int position) {
        return indexes.get(position);
    }

    /** Which of the records the handler means by an index of its list; -1 when that can't be told. */
    public int position(int handlersIndex) {
        int[] positions = positions();
        return positions != null && handlersIndex >= 0 && handlersIndex < positions.length
                ? positions[handlersIndex]
                : -1;
    }

    /** Which of the records this is; -1 when it is none, or when what comes before it isn't known to be handled. */
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

    /** How many records the handler's list has now. */
    public int listSize() {
        return list.size();
    }

    /** The positions of what is in the handler's list now; null when it isn't in the poll's order any more. */
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
