package io.dedup.kafka.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What may happen, and what has to hold. */
final class Model {
    private final Setup setup;
    private final PollSteps polls;
    private final TurnSteps turns;
    private final BackgroundSteps background;
    private final FaultSteps faults;

    Model(Setup setup) {
        this.setup = setup;
        Faults left = new Faults(setup);
        Store store = new Store(setup);
        Commits commits = new Commits(setup, store, left);
        Claims claims = new Claims(setup, store);
        Pending pending = new Pending(setup);
        polls = new PollSteps(setup, commits, new Group(setup, commits), claims, pending);
        turns = new TurnSteps(setup, store, commits, claims, pending, left);
        background = new BackgroundSteps(setup, store, commits, pending, left);
        faults = new FaultSteps(left);
    }

    /** Both consumers have a partition each, or one has both. */
    List<State> first() {
        return List.of(State.first(0, 1), State.first(0, 0));
    }

    void from(State state, Steps steps) {
        for (int c = 0; c < State.CONSUMERS; c++) {
            switch (state.get(c, State.PLACE)) {
                case State.TOP -> polls.top(state, c, steps);
                case State.POLLED -> polls.polled(state, c, steps);
                case State.TURN -> turns.turn(state, c, steps);
                case State.RUNNING -> turns.running(state, c, steps);
                case State.COMMITTING -> turns.committing(state, c, steps);
                default -> {} // down
            }
            background.of(state, c, steps);
            faults.of(state, c, steps);
        }
        background.leases(state, steps);
        faults.rebalance(state, steps);
    }

    /** The rule that this state breaks, or the step that led to it. */
    @Nullable
    Rule broken(State state) {
        Rule broken = state.broken != null ? state.broken : brokenOffsets(state);
        if (broken == null && hasClaimWithoutPoll(state)) {
            broken = Rule.NO_CLAIM_WITHOUT_POLL;
        }
        return broken == null || setup.unchecked().contains(broken) ? null : broken;
    }

    private @Nullable Rule brokenOffsets(State state) {
        Rule broken = null;
        for (int record = 0; record < Layout.RECORDS; record++) {
            int id = setup.layout().id(record);
            if (setup.layout().offset(record)
                    >= state.get(State.COMMITTED + setup.layout().partition(record))) {
                continue;
            }
            if (!state.is(State.HAPPENED + id)) {
                return Rule.NOTHING_LOST;
            }
            if (!Store.isDone(state, id) && !state.is(State.EXCUSED + id)) {
                broken = Rule.DURABLE_FIRST;
            }
        }
        return broken;
    }

    private static boolean hasClaimWithoutPoll(State state) {
        for (int c = 0; c < State.CONSUMERS; c++) {
            for (int id = 0; id < Layout.IDS; id++) {
                if (state.get(c, State.PLACE) == State.TOP && Claims.isWaiting(state, c, id)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether everything has had its effect, and everybody is behind it. */
    boolean isDone(State state) {
        for (int id = 0; id < Layout.IDS; id++) {
            if (setup.layout().uses(id) && !state.is(State.HAPPENED + id)) {
                return false;
            }
        }
        for (int p = 0; p < Layout.PARTITIONS; p++) {
            if (!isRead(state, p)) {
                return false;
            }
        }
        for (int c = 0; c < State.CONSUMERS; c++) {
            if (state.get(c, State.PLACE) > State.TOP || isAnyPending(state, c)) {
                return false;
            }
        }
        return true;
    }

    private boolean isRead(State state, int p) {
        int owner = state.get(State.TARGET + p);
        return state.get(owner, State.MEMBERSHIP) == State.MEMBER
                && state.is(owner, State.ASSIGNED + p)
                && state.get(owner, State.POSITION + p) == setup.layout().end(p);
    }

    private static boolean isAnyPending(State state, int c) {
        for (int record = 0; record < Layout.RECORDS; record++) {
            if (state.is(c, State.PENDING + record)) {
                return true;
            }
        }
        return false;
    }
}
