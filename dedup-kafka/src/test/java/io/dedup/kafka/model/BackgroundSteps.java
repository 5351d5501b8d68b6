package io.dedup.kafka.model;

import java.util.function.Supplier;

/** What happens beside the consumers' threads: workers, completions by a timer, leases that run out. */
final class BackgroundSteps {
    private final Setup setup;
    private final Store store;
    private final Commits commits;
    private final Pending pending;
    private final Faults faults;

    BackgroundSteps(Setup setup, Store store, Commits commits, Pending pending, Faults faults) {
        this.setup = setup;
        this.store = store;
        this.commits = commits;
        this.pending = pending;
        this.faults = faults;
    }

    void of(State state, int c, Steps steps) {
        for (int id = 0; id < Layout.IDS; id++) {
            int what = state.get(c, State.OF_ID + id);
            if (what == State.QUEUED) {
                complete(state, c, id, steps);
            } else if (what == State.RUN && setup.onWorkers()) {
                work(state, c, id, steps);
            }
        }
    }

    private static Supplier<String> words(int c, int id, String words) {
        return () -> words.replace("CONSUMER", Steps.name(c)).replace("ID", Layout.name(id));
    }

    private void complete(State before, int c, int id, Steps steps) {
        State state = before.copy();
        commits.record(state, c, id);
        boolean accepted = state.get(c, State.OF_ID + id) == State.RECORDED;
        if (setup.onWorkers()) {
            Store.forget(state, c, id);
            pending.ended(state, c, id, State.FINISHED);
        }
        steps.step(
                state,
                false,
                words(c, id, accepted ? "CONSUMER completes ID" : "CONSUMER completes ID, too late: refused"));
        if (faults.isLeft(before, Fault.LOST_ANSWER)) {
            State lost = before.copy();
            faults.spend(lost, Fault.LOST_ANSWER);
            if (setup.has(Mistake.RELEASE_AFTER_SUCCESS)) {
                store.release(lost, c, id);
                steps.step(lost, true, words(c, id, "CONSUMER's completion of ID doesn't reach the store: released"));
            } else if (store.complete(lost, c, id)) { // to be repeated
                steps.step(lost, true, words(c, id, "CONSUMER completes ID, and the answer is lost"));
            }
        }
    }

    private void work(State before, int c, int id, Steps steps) {
        State state = before.copy();
        TurnSteps.takesEffect(state, c, id);
        steps.step(state, false, words(c, id, "a worker of CONSUMER's: ID takes effect"));
        if (faults.isLeft(before, Fault.HANDLER_FAILURE)) {
            State failed = before.copy();
            faults.spend(failed, Fault.HANDLER_FAILURE);
            store.release(failed, c, id);
            pending.ended(failed, c, id, setup.has(Mistake.FAILURE_ACKNOWLEDGED) ? State.FINISHED : State.AGAIN);
            steps.step(failed, true, words(c, id, "a worker of CONSUMER's fails with ID; released"));
        }
    }

    void leases(State state, Steps steps) {
        for (int id = 0; id < Layout.IDS; id++) {
            int owner = state.get(State.STORE + id);
            if (owner == State.FREE || owner == State.DONE || state.is(State.OVER + id)) {
                continue;
            }
            State next = state.copy();
            next.set(State.OVER + id, 1);
            if (owner == State.ORPHANED) {
                steps.step(next, false, words(0, id, "the lease of the dead process's claim of ID runs out"));
            } else if (faults.isLeft(state, Fault.LEASE_EXPIRY)) {
                faults.spend(next, Fault.LEASE_EXPIRY);
                expire(next, owner - 1, id);
                steps.step(next, true, words(owner - 1, id, "the lease of CONSUMER's claim of ID runs out"));
            }
        }
    }

    private static void expire(State state, int c, int id) {
        state.set(State.EXCUSED + id, 1);
        int what = state.get(c, State.OF_ID + id);
        if (what != State.NOTHING && what != State.RECORDED) {
            state.set(c, State.EXPIRED + id, 1);
        }
        if (what == State.QUEUED) {
            state.set(State.STANDS + id, 0);
        }
    }
}
