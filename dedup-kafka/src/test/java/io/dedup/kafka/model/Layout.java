package io.dedup.kafka.model;

import java.util.Arrays;

/** Which messages are in which partition. Equal letters are copies of one message. */
@SuppressWarnings("ImmutableEnumChecker") // its arrays are written by the constructor only
enum Layout {
    COPY_IN_OTHER_PARTITION("x y", "x"),
    COPY_IN_SAME_PARTITION("x x", "y"),
    ONE_PARTITION("x y x", ""),
    DISTINCT("x y", "z");

    static final int PARTITIONS = 2;
    static final int RECORDS = 3;
    /** Message IDs; not every layout uses the last one. */
    static final int IDS = 3;

    /** By record: the records of partition 0 come first. */
    private final int[] partitions = new int[RECORDS];

    private final int[] offsets = new int[RECORDS];
    private final int[] ids = new int[RECORDS];
    private final int[] ends = new int[PARTITIONS];

    Layout(String... messages) {
        int record = 0;
        for (int partition = 0; partition < PARTITIONS; partition++) {
            for (char letter : messages[partition].replace(" ", "").toCharArray()) {
                partitions[record] = partition;
                offsets[record] = ends[partition]++;
                ids[record++] = letter - 'x';
            }
        }
    }

    int partition(int record) {
        return partitions[record];
    }

    int offset(int record) {
        return offsets[record];
    }

    int id(int record) {
        return ids[record];
    }

    int end(int partition) {
        return ends[partition];
    }

    /** The record at this place. */
    int at(int partition, int offset) {
        return partition == 0 ? offset : ends[0] + offset;
    }

    boolean uses(int id) {
        return Arrays.stream(ids).anyMatch(each -> each == id);
    }

    static String name(int id) {
        return String.valueOf((char) ('x' + id));
    }

    String name(int partition, int offset) {
        return name(ids[at(partition, offset)]) + " (partition " + partition + ", offset " + offset + ")";
    }
}
