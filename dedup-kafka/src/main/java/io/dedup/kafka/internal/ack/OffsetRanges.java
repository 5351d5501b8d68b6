package io.dedup.kafka.internal.ack;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A set of offsets of one partition. Adjacent offsets are stored as one range, so that many of them need little memory.
 * Not thread-safe.
 */
final class OffsetRanges {
    /** The last offset of each range, by its first one. */
    private final NavigableMap<Long, Long> ranges = new TreeMap<>();

    private long size;

    long size() {
        return size;
    }

    boolean contains(long offset) {
        Map.Entry<Long, Long> range = ranges.floorEntry(offset);
        return range != null && range.getValue() >= offset;
    }

    void add(long offset) {
        if (contains(offset)) {
            return;
        }
        Map.Entry<Long, Long> below = ranges.floorEntry(offset);
        long first = below != null && below.getValue() == offset - 1 ? below.getKey() : offset;
        Long above = ranges.remove(offset + 1);
        ranges.put(first, above == null ? offset : above);
        size++;
    }

    void removeBelow(long offset) {
        while (!ranges.isEmpty() && ranges.firstKey() < offset) {
            Map.Entry<Long, Long> lowest = ranges.pollFirstEntry();
            long last = Math.min(lowest.getValue(), offset - 1);
            size -= last - lowest.getKey() + 1;
            if (lowest.getValue() >= offset) {
                ranges.put(offset, lowest.getValue());
            }
        }
    }

    void clear() {
        ranges.clear();
        size = 0;
    }
}
