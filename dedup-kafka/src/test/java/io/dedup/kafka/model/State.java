package io.dedup.kafka.model;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One state of everything: two consumers, the broker, the store, and what an observer remembers. Small numbers in an array, so
 * that millions of them fit in memory.
 */
final class State {
    static final int CONSUMERS = 2;
    /** How many longs a packed state takes. */
    static final int LONGS = 3;

    // The place of a consumer in its loop.
    /** The process doesn't run. */
    static final int DOWN = 0;
    /** At the top of the container's loop: commits, then polls. */
    static final int TOP = 1;
    /** The poll has returned, and the container commits what a rebalance has held back. */
    static final int POLLED = 2;
    /** The container hands out the next record. */
    static final int TURN = 3;
    /** The handler runs. */
    static final int RUNNING = 4;

    /** The container commits a record's offset, in ack mode RECORD. */
    static final int COMMITTING = 5;

    // What a consumer is in its group.
    static final int NO_MEMBER = 0;
    static final int MEMBER = 1;
    /** It has sent its request to join, and doesn't know its assignment yet. */
    static final int JOINED = 2;

    // What a consumer has of a message.
    static final int NOTHING = 0;
    /** Claimed before its turn. */
    static final int CLAIMED = 1;
    /** Claimed before its turn, without an answer. */
    static final int UNANSWERED = 2;
    /** The handler runs. */
    static final int RUN = 3;
    /** The handler has succeeded, and the store doesn't know. */
    static final int QUEUED = 4;
    /** The store has recorded the success since the last poll. */
    static final int RECORDED = 5;

    // A record that a worker has.
    static final int OPEN = 1;
    /** Finished while one below it isn't. */
    static final int FINISHED = 2;
    /** Its run has failed: to be fetched again. */
    static final int AGAIN = 3;

    // A message's record in the store; 1 and 2 are claims of the consumers.
    static final int FREE = 0;
    /** Claimed by a process that is dead. */
    static final int ORPHANED = 3;

    static final int DONE = 4;

    static final int PLACE = 0;
    static final int MEMBERSHIP = 1;
    static final int ASSIGNED = 2;
    static final int POSITION = 4;
    /** The first outstanding record; the last one is before the position. */
    static final int NEXT = 6;
    /** Which partition's records come first in the poll. */
    static final int FIRST = 8;

    static final int DISTURBED = 9;
    static final int UNCLAIMED = 10;
    static final int ACKED = 11;
    /** What a commit failed with during a rebalance, to be committed after the next poll. */
    static final int HELD_BACK = 13;

    static final int WOKEN = 15;
    static final int OF_ID = 16;
    /** Whether the lease of what is in {@link #OF_ID} has run out. */
    static final int EXPIRED = 19;

    static final int PENDING = 22;
    private static final int OF_CONSUMER = 25;

    static final int COMMITTED = 2 * OF_CONSUMER;
    static final int REBALANCING = COMMITTED + 2;
    static final int TARGET = REBALANCING + 1;
    static final int STORE = TARGET + 2;
    /** Whether the lease of the record in the store has run out. */
    static final int OVER = STORE + 3;

    static final int HAPPENED = OVER + 3;
    /** Whether there was an effect that neither a crash nor an expired lease excuses another one of. */
    static final int STANDS = HAPPENED + 3;
    /** Whether the lease of a live process's claim has run out. */
    static final int EXCUSED = STANDS + 3;

    static final int SPENT = EXCUSED + 3;
    static final int SPENT_ALTOGETHER = SPENT + Fault.values().length;
    private static final int SLOTS = SPENT_ALTOGETHER + 1;

    private static final byte[] BITS = bits();

    private final byte[] values;
    /** Which rule the step that led here breaks. */
    @Nullable
    Rule broken;

    private State(byte[] values) {
        this.values = values;
    }

    private static byte[] bits() {
        byte[] bits = new byte[SLOTS];
        Arrays.fill(bits, (byte) 2);
        for (int c = 0; c < CONSUMERS; c++) {
            int base = c * OF_CONSUMER;
            bits[base + PLACE] = 3;
            for (int one : new int[] {ASSIGNED, ASSIGNED + 1, FIRST, DISTURBED, UNCLAIMED, WOKEN}) {
                bits[base + one] = 1;
            }
            for (int id = 0; id < Layout.IDS; id++) {
                bits[base + OF_ID + id] = 3;
                bits[base + EXPIRED + id] = 1;
            }
        }
        bits[REBALANCING] = 1;
        bits[TARGET] = 1;
        bits[TARGET + 1] = 1;
        for (int id = 0; id < Layout.IDS; id++) {
            bits[STORE + id] = 3;
            for (int one : new int[] {OVER, HAPPENED, STANDS, EXCUSED}) {
                bits[one + id] = 1;
            }
        }
        bits[SPENT_ALTOGETHER] = 4;
        return bits;
    }

    /** Both consumers run, and the partitions belong to these. */
    static State first(int... owners) {
        State state = new State(new byte[SLOTS]);
        for (int c = 0; c < CONSUMERS; c++) {
            state.set(c, PLACE, TOP);
            state.set(c, MEMBERSHIP, MEMBER);
        }
        for (int p = 0; p < Layout.PARTITIONS; p++) {
            state.set(TARGET + p, owners[p]);
            state.set(owners[p], ASSIGNED + p, 1);
        }
        return state;
    }

    State copy() {
        State copy = new State(values.clone());
        copy.broken = broken;
        return copy;
    }

    int get(int slot) {
        return values[slot];
    }

    void set(int slot, int value) {
        values[slot] = (byte) value;
    }

    int get(int consumer, int slot) {
        return values[consumer * OF_CONSUMER + slot];
    }

    void set(int consumer, int slot, int value) {
        values[consumer * OF_CONSUMER + slot] = (byte) value;
    }

    boolean is(int slot) {
        return values[slot] != 0;
    }

    boolean is(int consumer, int slot) {
        return get(consumer, slot) != 0;
    }

    /** Forgets everything of a consumer. */
    void clear(int consumer) {
        Arrays.fill(values, consumer * OF_CONSUMER, (consumer + 1) * OF_CONSUMER, (byte) 0);
    }

    void breaks(Rule rule) {
        if (broken == null) {
            broken = rule;
        }
    }

    /** This state, or the one in which the consumers have changed places, whichever is the lower one. */
    void pack(long[] into) {
        long a = pack(0, OF_CONSUMER);
        long b = pack(OF_CONSUMER, COMMITTED);
        long rest = pack(COMMITTED, SLOTS);
        if (a >= b) {
            long swapped = packSwapped();
            if (a > b || swapped < rest) {
                into[0] = b;
                into[1] = a;
                into[2] = swapped;
                return;
            }
        }
        into[0] = a;
        into[1] = b;
        into[2] = rest;
    }

    private long pack(int begin, int end) {
        long packed = 0;
        for (int slot = end - 1; slot >= begin; slot--) {
            packed = packed << BITS[slot] | values[slot];
        }
        return packed;
    }

    private long packSwapped() {
        long packed = 0;
        for (int slot = SLOTS - 1; slot >= COMMITTED; slot--) {
            packed = packed << BITS[slot] | swapped(slot);
        }
        return packed;
    }

    private int swapped(int slot) {
        int value = values[slot];
        if (slot >= TARGET && slot < STORE) {
            return 1 - value;
        }
        if (slot >= STORE && slot < OVER && (value == 1 || value == 2)) {
            return 3 - value;
        }
        return value;
    }

    static State unpack(long[] packed, int index) {
        State state = new State(new byte[SLOTS]);
        state.unpack(packed[index * LONGS], 0, OF_CONSUMER);
        state.unpack(packed[index * LONGS + 1], OF_CONSUMER, COMMITTED);
        state.unpack(packed[index * LONGS + 2], COMMITTED, SLOTS);
        return state;
    }

    private void unpack(long packed, int begin, int end) {
        long left = packed;
        for (int slot = begin; slot < end; slot++) {
            values[slot] = (byte) (left & ((1 << BITS[slot]) - 1));
            left >>>= BITS[slot];
        }
    }
}
