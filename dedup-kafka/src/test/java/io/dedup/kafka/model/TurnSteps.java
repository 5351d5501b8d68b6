package io.dedup.kafka.model;

import io.dedup.kafka.model.Commits.Attempt;
import java.util.function.Supplier;

/** The turns of the polled records, one after the other. */
final class TurnSteps {
    private final Setup setup;
    private final Store store;
    private final Commits commits;
    private final Claims claims;
    private final Pending pending;
    private final Faults faults;

    TurnSteps(Setup setup, Store store, Commits commits, Claims claims, Pending pending, Faults faults) {
        this.setup = setup;
        this.store = store;
        this.commits = commits;
        this.claims = claims;
        this.pending = pending;
        this.faults = faults;
    }

    /** The partition whose record is the next one; negative when the container has none left. */
    static int next(State state, int c) {
        int first = state.get(c, State.FIRST);
        for (int p : new int[] {first, 1 - first}) {
            if (state.get(c, State.NEXT + p) < state.get(c, State.POSITION + p)) {
                return p;
            }
        }
        return -1;
    }

    void turn(State before, int c, Steps steps) {
        if (before.is(c, State.UNCLAIMED) && Claims.size(before, c) > 1) {
            claim(before, c, steps);
            return;
        }
        State state = before.copy();
        state.set(c, State.UNCLAIMED, 0);
        int p = next(state, c);
        int offset = state.get(c, State.NEXT + p);
        int id = setup.layout().id(setup.layout().at(p, offset));
        int what = state.get(c, State.OF_ID + id);
        Supplier<String> record = () -> Steps.name(c) + ", " + setup.layout().name(p, offset) + ": ";
        if (what == State.RUN || what == State.QUEUED || what == State.RECORDED) {
            Supplier<String> words = () -> record.get() + "a copy of what this consumer has in hand; follows it";
            if (setup.onWorkers()) {
                state.set(c, State.PENDING + setup.layout().at(p, offset), State.OPEN);
                passed(state, c, p);
            } else {
                finished(state, c, p);
            }
            steps.step(state, false, words);
        } else if (what == State.CLAIMED) {
            run(state, c, p, id, steps, () -> record.get() + "the handler begins, with the claim made ahead");
        } else if (Store.isClaimable(state, id) || (what == State.UNANSWERED && Store.isOwner(state, c, id))) {
            Store.claim(state, c, id);
            run(state, c, p, id, steps, () -> record.get() + "claimed; the handler begins");
        } else if (Store.isDone(state, id) || setup.has(Mistake.IN_FLIGHT_ACKNOWLEDGED)) {
            Store.forget(state, c, id);
            Supplier<String> words = () ->
                    record.get() + (Store.isDone(state, id) ? "done already; acknowledged" : "in flight; acknowledged");
            if (setup.onWorkers()) {
                state.set(c, State.PENDING + setup.layout().at(p, offset), State.FINISHED);
                pending.drain(state, c);
                passed(state, c, p);
            } else {
                finished(state, c, p);
            }
            steps.step(state, false, words);
        } else {
            Store.forget(state, c, id);
            failed(state, c, false, steps, () -> record.get() + "in flight; deferred");
        }
    }

    private void claim(State before, int c, Steps steps) {
        State state = before.copy();
        claims.claimPolled(state, c, false);
        steps.step(state, false, () -> Steps.name(c) + " claims what it has polled" + claimed(state, c));
        if (faults.isLeft(before, Fault.LOST_ANSWER)) {
            State lost = before.copy();
            faults.spend(lost, Fault.LOST_ANSWER);
            claims.claimPolled(lost, c, true);
            steps.step(
                    lost,
                    true,
                    () -> Steps.name(c) + " claims what it has polled" + claimed(lost, c) + ", and the answer is lost");
        }
    }

    private static String claimed(State state, int c) {
        StringBuilder words = new StringBuilder();
        for (int id = 0; id < Layout.IDS; id++) {
            if (Claims.isWaiting(state, c, id)) {
                words.append(words.isEmpty() ? ": " : ", ").append(Layout.name(id));
            }
        }
        return words.isEmpty() ? ": it gets no claim" : words.toString();
    }

    private void run(State state, int c, int p, int id, Steps steps, Supplier<String> words) {
        if (Store.isDone(state, id) && !state.is(State.EXCUSED + id)) {
            state.breaks(Rule.NO_RUN_AFTER_DONE);
        }
        state.set(c, State.OF_ID + id, State.RUN);
        if (setup.onWorkers()) {
            state.set(c, State.PENDING + setup.layout().at(p, state.get(c, State.NEXT + p)), State.OPEN);
            passed(state, c, p);
        } else {
            state.set(c, State.PLACE, State.RUNNING);
        }
        steps.step(state, false, words);
    }

    /** The handler ends, on the consumer's thread. */
    void running(State before, int c, Steps steps) {
        int p = next(before, c);
        int offset = before.get(c, State.NEXT + p);
        int id = setup.layout().id(setup.layout().at(p, offset));
        State state = before.copy();
        takesEffect(state, c, id);
        Supplier<String> record = () -> Steps.name(c) + ", " + setup.layout().name(p, offset) + ": ";
        finished(state, c, p);
        steps.step(state, false, () -> record.get() + "takes effect; the handler returns");
        if (faults.isLeft(before, Fault.HANDLER_FAILURE)) {
            State failed = before.copy();
            faults.spend(failed, Fault.HANDLER_FAILURE);
            store.release(failed, c, id);
            failed.set(c, State.PLACE, State.TURN);
            Supplier<String> words = () -> record.get() + "the handler fails; released";
            if (setup.has(Mistake.FAILURE_ACKNOWLEDGED)) {
                finished(failed, c, p);
                steps.step(failed, true, words);
            } else {
                failed(failed, c, true, steps, words);
            }
        }
    }

    static void takesEffect(State state, int c, int id) {
        state.set(State.HAPPENED + id, 1);
        if (!state.is(c, State.EXPIRED + id)) {
            if (!Store.isOwner(state, c, id)) {
                state.breaks(Rule.OWNER_ONLY);
            } else if (state.is(State.STANDS + id)) {
                state.breaks(Rule.ONCE);
            }
            state.set(State.STANDS + id, 1);
        }
        state.set(c, State.OF_ID + id, State.QUEUED);
    }

    /** The listener has returned, and the record is finished. */
    private void finished(State state, int c, int p) {
        Pending.acknowledge(state, c, p, state.get(c, State.NEXT + p));
        passed(state, c, p);
        if (setup.commitsEach()) {
            state.set(c, State.PLACE, State.COMMITTING);
        }
    }

    /** Ack mode RECORD. A commit that fails is the error handler's business. */
    void committing(State before, int c, Steps steps) {
        int p = before.is(c, State.ACKED) ? 0 : 1;
        int offset = before.get(c, State.ACKED + p) - 1;
        for (Attempt attempt : commits.acknowledged(before, c)) {
            State next = attempt.state();
            if (attempt.outcome().isPassed()) {
                next.set(c, State.PLACE, next(next, c) < 0 ? State.TOP : State.TURN);
            } else {
                claims.giveBack(next, c);
                next.set(c, State.NEXT + p, offset);
                seekBack(next, c, State.NEXT);
            }
            steps.step(
                    next,
                    attempt.outcome().isFault(),
                    () -> Steps.name(c) + ": " + attempt.words().get());
        }
    }

    private static void passed(State state, int c, int p) {
        state.set(c, State.NEXT + p, state.get(c, State.NEXT + p) + 1);
        state.set(c, State.PLACE, next(state, c) < 0 ? State.TOP : State.TURN);
    }

    /**
     * The listener has thrown: claims are given back, the container commits what was finished before, and the error handler seeks
     * back to what is left of the poll.
     */
    private void failed(State state, int c, boolean fault, Steps steps, Supplier<String> words) {
        claims.giveBack(state, c);
        for (Attempt attempt : commits.acknowledged(state, c)) {
            State next = attempt.state().copy();
            seekBack(next, c, setup.has(Mistake.HOLD_WITHOUT_SEEK) ? State.POSITION : State.NEXT);
            steps.step(next, fault || attempt.outcome().isFault(), () -> attempt.behind(words.get()));
        }
    }

    private static void seekBack(State state, int c, int to) {
        for (int p = 0; p < Layout.PARTITIONS; p++) {
            int offset = state.get(c, to + p);
            state.set(c, State.POSITION + p, offset);
            state.set(c, State.NEXT + p, offset);
        }
        state.set(c, State.UNCLAIMED, 0);
        state.set(c, State.PLACE, State.TOP);
    }
}
