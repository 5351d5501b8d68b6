package io.dedup.kafka.model;

import io.dedup.kafka.model.Commits.Attempt;
import java.util.ArrayList;
import java.util.List;

/** The consumer group: who has which partition, and how partitions change hands. */
final class Group {
    private final Setup setup;
    private final Commits commits;

    Group(Setup setup, Commits commits) {
        this.setup = setup;
        this.commits = commits;
    }

    private static boolean isMember(State state, int c) {
        return state.get(c, State.MEMBERSHIP) != State.NO_MEMBER;
    }

    static boolean isQuiet(State state) {
        return !state.is(State.REBALANCING)
                && state.get(0, State.MEMBERSHIP) == State.MEMBER
                && state.get(1, State.MEMBERSHIP) == State.MEMBER;
    }

    static void begin(State state) {
        state.set(State.REBALANCING, 1);
        endIfAllJoined(state);
    }

    /** The broker has the requests of all members, and answers them. */
    private static void endIfAllJoined(State state) {
        for (int c = 0; c < State.CONSUMERS; c++) {
            if (state.get(c, State.MEMBERSHIP) == State.MEMBER) {
                return;
            }
        }
        state.set(State.REBALANCING, 0);
    }

    /** The broker has a consumer no more. */
    static void leave(State state, int c) {
        state.set(c, State.MEMBERSHIP, State.NO_MEMBER);
        int other = 1 - c;
        if (isMember(state, other)) {
            state.set(State.TARGET, other);
            state.set(State.TARGET + 1, other);
            begin(state);
        }
    }

    /** A consumer that isn't a member asks to be one: the states that follow, by what it is to get. */
    static List<State> enter(State before, int c) {
        List<State> states = new ArrayList<>(2);
        int other = 1 - c;
        boolean alone = !isMember(before, other);
        for (int p = 0; p < (alone ? 1 : Layout.PARTITIONS); p++) {
            State state = before.copy();
            state.set(State.TARGET + p, c);
            state.set(State.TARGET + 1 - p, alone ? c : other);
            state.set(c, State.MEMBERSHIP, State.JOINED);
            begin(state);
            states.add(state);
        }
        return states;
    }

    /** A member's request in a rebalance, within its poll. */
    List<Attempt> join(State before, int c) {
        List<Attempt> attempts = setup.isEager() ? revoked(before, c, true, true) : List.of(Attempt.nothing(before));
        List<Attempt> joined = new ArrayList<>(attempts.size());
        for (Attempt attempt : attempts) {
            State state = attempt.state().copy();
            state.set(c, State.MEMBERSHIP, State.JOINED);
            endIfAllJoined(state);
            joined.add(attempt.in(state));
        }
        return joined;
    }

    /** A member gets its assignment, within its poll. */
    List<Attempt> assigned(State before, int c) {
        State state = before.copy();
        state.set(c, State.MEMBERSHIP, State.MEMBER);
        boolean[] lost = new boolean[Layout.PARTITIONS];
        for (int p = 0; p < Layout.PARTITIONS; p++) {
            lost[p] = state.is(c, State.ASSIGNED + p) && state.get(State.TARGET + p) != c;
        }
        List<Attempt> attempts = revoked(state, c, lost);
        for (Attempt attempt : attempts) {
            for (int p = 0; p < Layout.PARTITIONS; p++) {
                take(attempt.state(), c, p);
            }
            if (lost[0] || lost[1]) {
                begin(attempt.state()); // for those that wait for what was revoked
            }
        }
        return attempts;
    }

    private static void take(State state, int c, int p) {
        int other = 1 - c;
        boolean free = !isMember(state, other) || !state.is(other, State.ASSIGNED + p);
        if (state.get(State.TARGET + p) == c && free && !state.is(c, State.ASSIGNED + p)) {
            state.set(c, State.ASSIGNED + p, 1);
            state.set(c, State.POSITION + p, state.get(State.COMMITTED + p));
            state.set(c, State.NEXT + p, state.get(State.COMMITTED + p));
        }
    }

    /** The container's callback: it commits, then the listener forgets these partitions. */
    List<Attempt> revoked(State before, int c, boolean... partitions) {
        boolean any = false;
        for (int p = 0; p < Layout.PARTITIONS; p++) {
            any |= partitions[p] && before.is(c, State.ASSIGNED + p);
        }
        List<Attempt> attempts = new ArrayList<>(2);
        if (!any) {
            attempts.add(Attempt.nothing(before.copy()));
            return attempts;
        }
        for (Attempt held : commits.heldBack(before, c)) {
            if (!held.outcome().isPassed()) { // caught by the container, which then commits nothing else
                attempts.add(forgotten(held, c, partitions));
                continue;
            }
            for (Attempt acknowledged : commits.acknowledged(held.state(), c)) {
                attempts.add(forgotten(acknowledged.after(held), c, partitions));
            }
        }
        return attempts;
    }

    private Attempt forgotten(Attempt attempt, int c, boolean... partitions) {
        State state = attempt.state().copy();
        for (int record = 0; record < Layout.RECORDS; record++) {
            if (partitions[setup.layout().partition(record)]) {
                state.set(c, State.PENDING + record, 0);
            }
        }
        for (int p = 0; p < Layout.PARTITIONS; p++) {
            if (partitions[p]) {
                state.set(c, State.ASSIGNED + p, 0);
                state.set(c, State.POSITION + p, 0);
                state.set(c, State.NEXT + p, 0);
            }
        }
        return attempt.in(state);
    }
}
