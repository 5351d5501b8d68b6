package io.dedup.kafka.model;

/** What a consumer claims before its turn. */
final class Claims {
    private final Setup setup;
    private final Store store;

    Claims(Setup setup, Store store) {
        this.setup = setup;
        this.store = store;
    }

    /** How many records the container still holds. */
    static int size(State state, int c) {
        int size = 0;
        for (int p = 0; p < Layout.PARTITIONS; p++) {
            size += state.get(c, State.POSITION + p) - state.get(c, State.NEXT + p);
        }
        return size;
    }

    /**
     * Claims what the container holds with one call.
     *
     * @param unanswered whether the answer is lost
     */
    void claimPolled(State state, int c, boolean unanswered) {
        state.set(c, State.UNCLAIMED, 0);
        if (size(state, c) < 2) {
            return;
        }
        boolean[] wanted = new boolean[Layout.IDS];
        boolean dead = false;
        for (int p = 0; p < Layout.PARTITIONS; p++) {
            for (int offset = state.get(c, State.NEXT + p); offset < state.get(c, State.POSITION + p); offset++) {
                int id = setup.layout().id(setup.layout().at(p, offset));
                wanted[id] = true;
                dead |= Store.isClaimable(state, id) && state.get(State.STORE + id) != State.FREE;
            }
        }
        if (dead) {
            return; // a dead process's claim: all are given back, and claimed at their turns
        }
        for (int id = 0; id < Layout.IDS; id++) {
            if (wanted[id] && Store.isClaimable(state, id)) {
                Store.claim(state, c, id);
                state.set(c, State.OF_ID + id, unanswered ? State.UNANSWERED : State.CLAIMED);
            } else if (wanted[id] && isWaiting(state, c, id)) {
                Store.forget(state, c, id); // of an earlier poll, and never looked at again
            }
        }
    }

    static boolean isWaiting(State state, int c, int id) {
        int what = state.get(c, State.OF_ID + id);
        return what == State.CLAIMED || what == State.UNANSWERED;
    }

    void giveBack(State state, int c) {
        for (int id = 0; id < Layout.IDS && !setup.has(Mistake.CLAIMS_KEPT); id++) {
            if (isWaiting(state, c, id)) {
                store.release(state, c, id);
            }
        }
    }
}
