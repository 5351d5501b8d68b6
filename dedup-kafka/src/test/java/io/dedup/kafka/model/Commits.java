package io.dedup.kafka.model;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The commits of a watched consumer: the store is told first, a wake-up doesn't end them, and what they throw is noticed. */
final class Commits {
    /** How a commit ends for the container. */
    enum Outcome {
        DONE("succeeds"),
        IN_REBALANCE("fails with RebalanceInProgressException, and spring-kafka holds the offsets back"),
        REFUSED("fails with CommitFailedException"),
        TIMED_OUT("times out"),
        UNANSWERED("reaches the broker, whose answer is lost: it times out"),
        WOKEN_UP("is woken up");

        private final String words;

        Outcome(String words) {
            this.words = words;
        }

        boolean isFault() {
            return this == TIMED_OUT || this == UNANSWERED;
        }

        /** Whether the container's code behind the commit runs. */
        boolean isPassed() {
            return this == DONE || this == IN_REBALANCE;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /** @param words what was committed, and how that ended; empty where nothing was to be committed */
    record Attempt(State state, Outcome outcome, Supplier<String> words) {
        static Attempt nothing(State state) {
            return new Attempt(state, Outcome.DONE, () -> "");
        }

        /** With another one before it, of which this one goes on. */
        Attempt after(Attempt first) {
            return new Attempt(state, outcome, () -> {
                String before = first.words.get();
                String after = words.get();
                return before.isEmpty() || after.isEmpty() ? before + after : before + "; " + after;
            });
        }

        Attempt in(State other) {
            return new Attempt(other, outcome, words);
        }

        /** As the beginning of a sentence's rest. */
        String before(String rest) {
            String said = words.get();
            return said.isEmpty() ? rest : rest + " " + said + ",";
        }

        /** As the end of a sentence. */
        String behind(String sentence) {
            String said = words.get();
            return said.isEmpty() ? sentence : sentence + "; " + said;
        }
    }

    private final Setup setup;
    private final Store store;
    private final Faults faults;

    Commits(Setup setup, Store store, Faults faults) {
        this.setup = setup;
        this.store = store;
        this.faults = faults;
    }

    /** Records what this consumer's handlers have done; whether there was anything. */
    boolean flush(State state, int c) {
        boolean any = false;
        for (int id = 0; id < Layout.IDS && !setup.onWorkers(); id++) { // a worker records its success itself
            if (state.get(c, State.OF_ID + id) == State.QUEUED) {
                record(state, c, id);
                any = true;
            }
        }
        return any;
    }

    void record(State state, int c, int id) {
        if (store.complete(state, c, id)) {
            state.set(c, State.OF_ID + id, State.RECORDED);
            state.set(c, State.EXPIRED + id, 0);
        } else {
            Store.forget(state, c, id);
        }
    }

    /** Commits what was acknowledged, as the container does before a poll, at a revocation and before it handles an error. */
    List<Attempt> acknowledged(State before, int c) {
        State state = before.copy();
        int[] offsets = take(state, c, State.ACKED);
        List<Attempt> attempts = attempts(state, c, offsets);
        for (Attempt attempt : attempts) {
            for (int p = 0; p < Layout.PARTITIONS; p++) {
                if (offsets[p] > 0 && attempt.outcome() == Outcome.DONE) {
                    attempt.state().set(c, State.HELD_BACK + p, 0);
                }
            }
        }
        return attempts;
    }

    /** Commits what a rebalance has held back, of the partitions that the consumer still has. */
    List<Attempt> heldBack(State before, int c) {
        State state = before.copy();
        int[] offsets = take(state, c, State.HELD_BACK);
        for (int p = 0; p < Layout.PARTITIONS; p++) {
            if (!state.is(c, State.ASSIGNED + p)) {
                offsets[p] = 0;
            }
        }
        return attempts(state, c, offsets);
    }

    private static int[] take(State state, int c, int from) {
        int[] offsets = new int[Layout.PARTITIONS];
        for (int p = 0; p < Layout.PARTITIONS; p++) {
            offsets[p] = state.get(c, from + p);
            state.set(c, from + p, 0);
        }
        return offsets;
    }

    static boolean isAny(State state, int c, int slot) {
        return state.is(c, slot) || state.is(c, slot + 1);
    }

    private List<Attempt> attempts(State state, int c, int[] offsets) {
        List<Attempt> attempts = new ArrayList<>(3);
        if (offsets[0] == 0 && offsets[1] == 0) {
            attempts.add(Attempt.nothing(state));
            return attempts;
        }
        boolean flushed = !setup.has(Mistake.COMMIT_BEFORE_FLUSH) && flush(state, c);
        boolean woken = state.is(c, State.WOKEN);
        state.set(c, State.WOKEN, 0); // the commit is repeated
        if (woken && setup.has(Mistake.COMMIT_WOKEN_UP)) {
            add(Outcome.WOKEN_UP, state, c, offsets, flushed, attempts);
        } else if (state.get(c, State.MEMBERSHIP) == State.JOINED) {
            add(Outcome.IN_REBALANCE, state, c, offsets, flushed, attempts);
        } else if (state.get(c, State.MEMBERSHIP) == State.NO_MEMBER) {
            add(Outcome.REFUSED, state, c, offsets, flushed, attempts);
        } else {
            add(Outcome.DONE, state, c, offsets, flushed, attempts);
            if (faults.isLeft(state, Fault.COMMIT_TIME_OUT)) {
                add(Outcome.TIMED_OUT, state, c, offsets, flushed, attempts);
                add(Outcome.UNANSWERED, state, c, offsets, flushed, attempts);
            }
        }
        return attempts;
    }

    private void add(Outcome outcome, State before, int c, int[] offsets, boolean flushed, List<Attempt> attempts) {
        State state = before.copy();
        if (outcome.isFault()) {
            faults.spend(state, Fault.COMMIT_TIME_OUT);
        }
        if (!outcome.isPassed()) {
            state.set(c, State.DISTURBED, 1);
        }
        for (int p = 0; p < Layout.PARTITIONS; p++) {
            if (offsets[p] > 0 && (outcome == Outcome.DONE || outcome == Outcome.UNANSWERED)) {
                state.set(State.COMMITTED + p, offsets[p]);
            }
            if (offsets[p] > 0 && outcome == Outcome.IN_REBALANCE) {
                state.set(c, State.HELD_BACK + p, offsets[p]);
            }
        }
        attempts.add(new Attempt(
                state, outcome, () -> (flushed ? "completions are flushed, " : "") + words(offsets) + outcome));
    }

    private static String words(int... offsets) {
        StringBuilder words = new StringBuilder("the commit of ");
        for (int p = 0; p < Layout.PARTITIONS; p++) {
            if (offsets[p] > 0) {
                words.append("offset ")
                        .append(offsets[p])
                        .append(" of partition ")
                        .append(p)
                        .append(' ');
            }
        }
        return words.toString();
    }
}
