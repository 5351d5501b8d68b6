package io.dedup.kafka.model;

/** The store of claims: each call is one atomic step. */
final class Store {
    private final Setup setup;

    Store(Setup setup) {
        this.setup = setup;
    }

    private static int owner(int consumer) {
        return consumer + 1;
    }

    static boolean isOwner(State state, int consumer, int id) {
        return state.get(State.STORE + id) == owner(consumer);
    }

    static boolean isDone(State state, int id) {
        return state.get(State.STORE + id) == State.DONE;
    }

    /** Whether a claim would be granted. */
    static boolean isClaimable(State state, int id) {
        return !isDone(state, id) && (state.get(State.STORE + id) == State.FREE || state.is(State.OVER + id));
    }

    static void claim(State state, int consumer, int id) {
        state.set(State.STORE + id, owner(consumer));
        state.set(State.OVER + id, 0);
        state.set(consumer, State.EXPIRED + id, 0);
    }

    /** Gives up what a consumer has of a message. */
    void release(State state, int consumer, int id) {
        boolean mine = isOwner(state, consumer, id) || setup.has(Mistake.RELEASE_WITHOUT_OWNER);
        if (mine && !isDone(state, id)) {
            state.set(State.STORE + id, State.FREE);
            state.set(State.OVER + id, 0);
        }
        forget(state, consumer, id);
    }

    /** Records a success. Whether the store has accepted it. */
    boolean complete(State state, int consumer, int id) {
        if (isDone(state, id)) {
            return true;
        }
        if (!isOwner(state, consumer, id) && !setup.has(Mistake.COMPLETION_WITHOUT_OWNER)) {
            return false;
        }
        state.set(State.STORE + id, State.DONE);
        state.set(State.OVER + id, 0);
        return true;
    }

    static void forget(State state, int consumer, int id) {
        state.set(consumer, State.OF_ID + id, State.NOTHING);
        state.set(consumer, State.EXPIRED + id, 0);
    }
}
