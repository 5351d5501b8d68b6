package io.dedup.kafka.model;

import java.util.Arrays;

/** All states that were reached, packed, numbered in the order in which they were. */
final class StateTable {
    private static final int EMPTY = -1;

    private long[] packed = new long[State.LONGS << 12];
    private int[] parents = new int[1 << 12];
    private int[] table = new int[1 << 13];
    private int size;

    StateTable() {
        Arrays.fill(table, EMPTY);
    }

    int size() {
        return size;
    }

    State get(int index) {
        return State.unpack(packed, index);
    }

    int parent(int index) {
        return parents[index];
    }

    boolean isSame(int index, long[] state) {
        int at = index * State.LONGS;
        return packed[at] == state[0] && packed[at + 1] == state[1] && packed[at + 2] == state[2];
    }

    /** The number of this state; a new one is the highest. */
    int add(long[] state, int parent) {
        int mask = table.length - 1;
        int slot = hash(state[0], state[1], state[2]) & mask;
        while (table[slot] != EMPTY) {
            if (isSame(table[slot], state)) {
                return table[slot];
            }
            slot = (slot + 1) & mask;
        }
        if (size == parents.length) {
            packed = Arrays.copyOf(packed, 2 * packed.length);
            parents = Arrays.copyOf(parents, 2 * parents.length);
        }
        System.arraycopy(state, 0, packed, size * State.LONGS, State.LONGS);
        parents[size] = parent;
        table[slot] = size++;
        if (2 * size > table.length) {
            rehash();
        }
        return size - 1;
    }

    private void rehash() {
        table = new int[2 * table.length];
        Arrays.fill(table, EMPTY);
        int mask = table.length - 1;
        for (int index = 0; index < size; index++) {
            int at = index * State.LONGS;
            int slot = hash(packed[at], packed[at + 1], packed[at + 2]) & mask;
            while (table[slot] != EMPTY) {
                slot = (slot + 1) & mask;
            }
            table[slot] = index;
        }
    }

    private static int hash(long first, long second, long third) {
        long mixed = first * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 32) ^ second) * 0xC2B2AE3D27D4EB4FL;
        mixed = (mixed ^ (mixed >>> 29) ^ third) * 0x165667B19E3779F9L;
        return (int) (mixed ^ (mixed >>> 32));
    }
}
