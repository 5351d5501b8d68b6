package io.dedup.kafka.model;

import io.dedup.kafka.model.Commits.Attempt;
import java.util.function.Supplier;

/** A round of the container's loop up to the first record's turn: commit, poll, commit what was held back. */
final class PollSteps {
    private final Setup setup;
    private final Commits commits;
    private final Group group;
    private final Claims claims;
    private final Pending pending;

    PollSteps(Setup setup, Commits commits, Group group, Claims claims, Pending pending) {
        this.setup = setup;
        this.commits = commits;
        this.group = group;
        this.claims = claims;
        this.pending = pending;
    }

    void top(State state, int c, Steps steps) {
        boolean commits = Commits.isAny(state, c, State.ACKED);
        if (commits) {
            commit(state, c, steps);
        }
        if (!commits || setup.onWorkers()) { // a worker may acknowledge between the commit and the poll
            poll(state, c, steps);
        }
    }

    /** A commit that fails is over: the container forgets what it had to commit. */
    private void commit(State before, int c, Steps steps) {
        for (Attempt attempt : commits.acknowledged(before, c)) {
            steps.step(
                    attempt.state(),
                    attempt.outcome().isFault(),
                    () -> Steps.name(c) + ": " + attempt.words().get());
        }
    }

    private void poll(State before, int c, Steps steps) {
        State state = before.copy();
        beforePoll(state, c);
        if (state.is(c, State.WOKEN)) {
            state.set(c, State.WOKEN, 0);
            nothingPolled(state, c);
            steps.step(state, false, () -> Steps.name(c) + " is woken up in its poll");
            return;
        }
        int membership = state.get(c, State.MEMBERSHIP);
        if (membership == State.NO_MEMBER) {
            for (Attempt attempt : group.revoked(state, c, true, true)) {
                for (State next : Group.enter(attempt.state(), c)) {
                    fetch(before, attempt.in(next), c, ", loses its partitions, joins the group again,", steps);
                }
            }
        } else if (membership == State.MEMBER && state.is(State.REBALANCING)) {
            String words = setup.isEager() ? "gives up its partitions" : "keeps its partitions";
            for (Attempt attempt : group.join(state, c)) {
                fetch(before, attempt, c, ", joins the rebalance, " + words + ",", steps);
            }
        } else if (membership == State.JOINED && !state.is(State.REBALANCING)) {
            for (Attempt attempt : group.assigned(state, c)) {
                fetch(before, attempt, c, ", gets its assignment,", steps);
            }
        }
        fetch(before, Attempt.nothing(state), c, "", steps); // what the consumer hasn't heard of yet
    }

    private void beforePoll(State state, int c) {
        commits.flush(state, c);
        for (int id = 0; id < Layout.IDS; id++) {
            if (state.get(c, State.OF_ID + id) == State.RECORDED) {
                Store.forget(state, c, id);
            }
        }
        claims.giveBack(state, c);
        fetchAgain(state, c);
    }

    private void fetchAgain(State state, int c) {
        for (int p = 0; p < Layout.PARTITIONS; p++) {
            if (state.is(c, State.DISTURBED) && !setup.has(Mistake.DROPPED_RECORDS_FORGOTTEN)) {
                state.set(c, State.POSITION + p, state.get(c, State.NEXT + p));
            }
            state.set(c, State.NEXT + p, state.get(c, State.POSITION + p));
            int failed = pending.toFetchAgain(state, c, p);
            if (failed < state.get(c, State.POSITION + p)) {
                state.set(c, State.POSITION + p, failed);
                state.set(c, State.NEXT + p, failed);
            }
        }
        state.set(c, State.DISTURBED, 0);
    }

    private static void nothingPolled(State state, int c) {
        state.set(c, State.PLACE, Commits.isAny(state, c, State.HELD_BACK) ? State.POLLED : State.TOP);
    }

    /**
     * As many of each partition as the broker likes to send, in either order. A held partition sends nothing.
     *
     * @param rebalance what has happened in the poll before
     */
    private void fetch(State before, Attempt attempt, int c, String rebalance, Steps steps) {
        State state = attempt.state();
        Supplier<String> words =
                () -> Steps.name(c) + " polls" + seekBack(before, state, c) + attempt.before(rebalance);
        for (int zero = available(state, c, 0); zero >= 0; zero--) {
            for (int one = available(state, c, 1); one >= 0; one--) {
                for (int first = 0; first < (zero > 0 && one > 0 ? 2 : 1); first++) {
                    State next = state.copy();
                    if (zero + one == 0) {
                        nothingPolled(next, c);
                    } else {
                        next.set(c, State.FIRST, zero > 0 && one > 0 ? first : zero > 0 ? 0 : 1);
                        next.set(c, State.POSITION, state.get(c, State.POSITION) + zero);
                        next.set(c, State.POSITION + 1, state.get(c, State.POSITION + 1) + one);
                        polled(next, c);
                    }
                    steps.step(next, attempt.outcome().isFault(), () -> words.get() + " and gets " + records(next, c));
                }
            }
        }
    }

    private int available(State state, int c, int p) {
        return state.is(c, State.ASSIGNED + p) ? setup.layout().end(p) - state.get(c, State.POSITION + p) : 0;
    }

    private void polled(State next, int c) {
        next.set(c, State.UNCLAIMED, 1);
        if (setup.has(Mistake.CLAIMED_INSIDE_POLL)) {
            claims.claimPolled(next, c, false);
        }
        next.set(c, State.PLACE, Commits.isAny(next, c, State.HELD_BACK) ? State.POLLED : State.TURN);
    }

    private static String seekBack(State before, State state, int c) {
        StringBuilder words = new StringBuilder();
        for (int p = 0; p < Layout.PARTITIONS; p++) {
            boolean kept = before.is(c, State.ASSIGNED + p) && state.is(c, State.ASSIGNED + p);
            if (kept && state.get(c, State.POSITION + p) < before.get(c, State.POSITION + p)) {
                words.append(" from offset ")
                        .append(state.get(c, State.POSITION + p))
                        .append(" of partition ")
                        .append(p)
                        .append(" again");
            }
        }
        return words.toString();
    }

    private String records(State state, int c) {
        StringBuilder words = new StringBuilder();
        for (int i = 0; i < Layout.PARTITIONS; i++) {
            int p = i == 0 ? state.get(c, State.FIRST) : 1 - state.get(c, State.FIRST);
            for (int offset = state.get(c, State.NEXT + p); offset < state.get(c, State.POSITION + p); offset++) {
                words.append(words.isEmpty() ? "" : ", ").append(setup.layout().name(p, offset));
            }
        }
        return words.isEmpty() ? "nothing" : words.toString();
    }

    /** Between the poll's return and the first record's turn. What throws here makes the container drop the poll. */
    void polled(State before, int c, Steps steps) {
        for (Attempt attempt : commits.heldBack(before, c)) {
            State state = attempt.state();
            boolean polled = TurnSteps.next(state, c) >= 0;
            boolean dropped = !attempt.outcome().isPassed();
            state.set(c, State.PLACE, polled && !dropped ? State.TURN : State.TOP);
            if (dropped) {
                state.set(c, State.UNCLAIMED, 0);
            }
            String drop = dropped && polled ? "; spring-kafka drops the polled records" : "";
            steps.step(
                    state,
                    attempt.outcome().isFault(),
                    () -> Steps.name(c) + ", behind its poll: "
                            + attempt.words().get() + drop);
        }
    }
}
