package io.dedup.kafka.model;

/** The records that workers have, or have finished above an unfinished one. */
final class Pending {
    private final Setup setup;

    Pending(Setup setup) {
        this.setup = setup;
    }

    private static boolean isUnfinished(int pending) {
        return pending == State.OPEN || pending == State.AGAIN;
    }

    /** Where to fetch from, when the lowest unfinished record of the partition has failed; else a high number. */
    int toFetchAgain(State state, int c, int p) {
        for (int offset = 0; offset < setup.layout().end(p); offset++) {
            int pending = state.get(c, State.PENDING + setup.layout().at(p, offset));
            if (isUnfinished(pending)) {
                return pending == State.AGAIN ? offset : Integer.MAX_VALUE;
            }
        }
        return Integer.MAX_VALUE;
    }

    /** A message's run has ended, and with it all records that are copies of it. */
    void ended(State state, int c, int id, int as) {
        for (int record = 0; record < Layout.RECORDS; record++) {
            if (setup.layout().id(record) == id && state.get(c, State.PENDING + record) == State.OPEN) {
                state.set(c, State.PENDING + record, as);
            }
        }
        drain(state, c);
    }

    /** Acknowledges what is finished and has nothing unfinished below. */
    void drain(State state, int c) {
        for (int p = 0; p < Layout.PARTITIONS; p++) {
            boolean open = false;
            for (int offset = 0; offset < setup.layout().end(p); offset++) {
                int slot = State.PENDING + setup.layout().at(p, offset);
                int pending = state.get(c, slot);
                open |= isUnfinished(pending) && !setup.has(Mistake.COMMIT_ABOVE_UNFINISHED);
                if (pending == State.FINISHED && !open) {
                    acknowledge(state, c, p, offset);
                    state.set(c, slot, 0);
                }
            }
        }
    }

    static void acknowledge(State state, int c, int p, int offset) {
        state.set(c, State.ACKED + p, Math.max(state.get(c, State.ACKED + p), offset + 1));
    }
}
