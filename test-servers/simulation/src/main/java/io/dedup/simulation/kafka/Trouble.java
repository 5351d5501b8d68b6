package io.dedup.simulation.kafka;

import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What goes wrong at which call of a consumer: drawn from a seed, within a budget. Used by the consumer's thread, so that a
 * seed gives the same faults at the same calls.
 */
public final class Trouble {
    /** A fault that one call meets. */
    public enum Kind {
        /** A poll begins a rebalance that takes partitions away; a later one gives them back. */
        REBALANCE,
        /** The member has been thrown out: a poll reports its partitions as lost. */
        LOST,
        /** Somebody calls {@code wakeup()}. */
        WAKE_UP,
        /** A commit meets a rebalance. */
        COMMIT_IN_REBALANCE,
        /** A commit isn't executed, and times out. */
        COMMIT_TIMES_OUT,
        /** A commit is executed, and its answer is lost. */
        COMMIT_ANSWER_LOST,
        /** The member isn't in its group any more when it commits. */
        COMMIT_FENCED,
        /** The position of a partition can't be found in time. */
        POSITION_TIMES_OUT,
        /** Retention deletes what the group has committed. */
        RETENTION,
        /** An operator stops the container and starts it again. */
        RESTART,
        /** The process dies: nothing is committed any more, and another one begins at what was committed. */
        CRASH,
        /** A producer can't begin or commit its transaction: another one has its ID. */
        TRANSACTION_FENCED,
        /** A transaction's commit isn't executed, and times out. */
        TRANSACTION_TIMES_OUT
    }

    private static final Set<Kind> AT_POLL =
            EnumSet.of(Kind.REBALANCE, Kind.LOST, Kind.WAKE_UP, Kind.RETENTION, Kind.RESTART, Kind.CRASH);
    private static final Set<Kind> AT_COMMIT = EnumSet.of(
            Kind.WAKE_UP,
            Kind.COMMIT_IN_REBALANCE,
            Kind.COMMIT_TIMES_OUT,
            Kind.COMMIT_ANSWER_LOST,
            Kind.COMMIT_FENCED,
            Kind.RETENTION);
    private static final Set<Kind> AT_POSITION = EnumSet.of(Kind.WAKE_UP, Kind.POSITION_TIMES_OUT);

    private static final Set<Kind> AT_TRANSACTION = EnumSet.of(Kind.TRANSACTION_FENCED, Kind.TRANSACTION_TIMES_OUT);

    private final Random random;
    private final Set<Kind> kinds;
    private final int oneIn;
    private int left;

    /**
     * @param kinds what may happen
     * @param faults how many faults there are, at most
     * @param oneIn how many calls there are to a fault, on average
     */
    public Trouble(Random random, Set<Kind> kinds, int faults, int oneIn) {
        this.random = random;
        this.kinds = kinds;
        this.left = faults;
        this.oneIn = oneIn;
    }

    /** Nothing goes wrong. */
    public static Trouble none() {
        return new Trouble(new Random(0), EnumSet.noneOf(Kind.class), 0, 1);
    }

    boolean isOver() {
        return left == 0;
    }

    @Nullable
    Kind atPoll() {
        return draw(AT_POLL);
    }

    @Nullable
    Kind atCommit() {
        return draw(AT_COMMIT);
    }

    @Nullable
    Kind atPosition() {
        return draw(AT_POSITION);
    }

    @Nullable
    Kind atTransaction() {
        return draw(AT_TRANSACTION);
    }

    int upTo(int bound) {
        return random.nextInt(bound + 1);
    }

    private @Nullable Kind draw(Set<Kind> here) {
        if (left == 0 || random.nextInt(oneIn) != 0) {
            return null;
        }
        List<Kind> possible = here.stream().filter(kinds::contains).toList();
        if (possible.isEmpty()) {
            return null;
        }
        left--;
        return possible.get(random.nextInt(possible.size()));
    }

    /** No more faults: what the run has broken must now heal. */
    public void end() {
        left = 0;
    }
}
