package io.dedup.kafka.model;

/** What happens to consumers from outside. */
final class FaultSteps {
    private final Faults faults;

    FaultSteps(Faults faults) {
        this.faults = faults;
    }

    void of(State state, int c, Steps steps) {
        if (state.get(c, State.PLACE) == State.DOWN) {
            for (State next : Group.enter(state, c)) {
                next.set(c, State.PLACE, State.TOP);
                steps.step(next, false, () -> Steps.name(c) + " starts again and joins the group");
            }
            return;
        }
        if (faults.isLeft(state, Fault.CRASH)) {
            steps.step(crash(state, c), true, () -> Steps.name(c) + " crashes");
        }
        if (faults.isLeft(state, Fault.EVICTION) && state.get(c, State.MEMBERSHIP) != State.NO_MEMBER) {
            State next = state.copy();
            faults.spend(next, Fault.EVICTION);
            Group.leave(next, c);
            steps.step(next, true, () -> Steps.name(c) + " hasn't polled for too long: the group removes it");
        }
        if (faults.isLeft(state, Fault.WAKE_UP) && !state.is(c, State.WOKEN)) {
            State next = state.copy();
            faults.spend(next, Fault.WAKE_UP);
            next.set(c, State.WOKEN, 1);
            steps.step(next, true, () -> "another thread wakes " + Steps.name(c) + " up");
        }
    }

    private State crash(State state, int c) {
        State next = state.copy();
        faults.spend(next, Fault.CRASH);
        for (int id = 0; id < Layout.IDS; id++) {
            if (Store.isOwner(next, c, id)) {
                next.set(State.STORE + id, State.ORPHANED);
            }
            if (next.get(c, State.OF_ID + id) == State.QUEUED && !next.is(c, State.EXPIRED + id)) {
                next.set(State.STANDS + id, 0);
            }
        }
        boolean member = next.get(c, State.MEMBERSHIP) != State.NO_MEMBER;
        next.clear(c);
        if (member) {
            Group.leave(next, c);
        }
        return next;
    }

    /** Another assignment of the partitions, while nobody else changes it. */
    void rebalance(State state, Steps steps) {
        if (!faults.isLeft(state, Fault.REBALANCE) || !Group.isQuiet(state)) {
            return;
        }
        for (int owners = 0; owners < 4; owners++) {
            int zero = owners & 1;
            int one = owners >> 1;
            if (zero == state.get(State.TARGET) && one == state.get(State.TARGET + 1)) {
                continue;
            }
            State next = state.copy();
            faults.spend(next, Fault.REBALANCE);
            next.set(State.TARGET, zero);
            next.set(State.TARGET + 1, one);
            Group.begin(next);
            steps.step(
                    next,
                    true,
                    () -> "a rebalance begins: partition 0 to " + Steps.name(zero) + ", partition 1 to "
                            + Steps.name(one));
        }
    }
}
