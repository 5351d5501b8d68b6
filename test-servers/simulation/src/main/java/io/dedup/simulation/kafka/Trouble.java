package io.dedup.simulation.kafka;

import io.dedup.simulation.draw.Draws;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** What goes wrong at which call of a consumer or a producer. Used by the consumer's thread. */
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
        /** The position of a partition cannot be found in time. */
        POSITION_TIMES_OUT,
        /** The broker doesn't say in time where a log begins or ends, or what is committed. */
        OFFSETS_TIME_OUT,
        /** The admin client gets no answer. */
        ADMIN_TIMES_OUT,
        /** Retention deletes what the group has committed. */
        RETENTION,
        /** An administrator deletes records, whether they are handled or not. */
        DELETE_RECORDS,
        /** The topic is deleted and made again. */
        RECREATED,
        /** An operator stops the container and starts it again. */
        RESTART,
        /** The process dies: nothing is committed any more, and another one begins at what was committed. */
        CRASH,
        /** A producer cannot begin or commit its transaction: another one has its ID. */
        TRANSACTION_FENCED,
        /** A transaction's commit never arrives, and times out; the transaction is open until its producer's successor ends it. */
        TRANSACTION_TIMES_OUT,
        /** A transaction's commit is executed, and its answer is lost. */
        TRANSACTION_ANSWER_LOST,
        /** A transaction's commit times out, and is executed a while later. */
        TRANSACTION_LATE,
        /** A reply isn't sent. */
        SEND_FAILS,
        /** A reply is sent, and the producer isn't answered. */
        SEND_ANSWER_LOST
    }

    private static final Set<Kind> AT_POLL = EnumSet.of(
            Kind.REBALANCE,
            Kind.LOST,
            Kind.WAKE_UP,
            Kind.RETENTION,
            Kind.DELETE_RECORDS,
            Kind.RECREATED,
            Kind.RESTART,
            Kind.CRASH);
    private static final Set<Kind> AT_COMMIT = EnumSet.of(
            Kind.WAKE_UP,
            Kind.COMMIT_IN_REBALANCE,
            Kind.COMMIT_TIMES_OUT,
            Kind.COMMIT_ANSWER_LOST,
            Kind.COMMIT_FENCED,
            Kind.RETENTION,
            Kind.CRASH);
    private static final Set<Kind> AT_POSITION = EnumSet.of(Kind.WAKE_UP, Kind.POSITION_TIMES_OUT);
    private static final Set<Kind> AT_QUESTION = EnumSet.of(Kind.WAKE_UP, Kind.OFFSETS_TIME_OUT);
    private static final Set<Kind> AT_SEND = EnumSet.of(Kind.SEND_FAILS, Kind.SEND_ANSWER_LOST);
    private static final Set<Kind> AT_ADMIN = EnumSet.of(Kind.ADMIN_TIMES_OUT);
    private static final Set<Kind> AT_BEGIN = EnumSet.of(Kind.TRANSACTION_FENCED);
    private static final Set<Kind> AT_TRANSACTION = EnumSet.of(
            Kind.TRANSACTION_FENCED,
            Kind.TRANSACTION_TIMES_OUT,
            Kind.TRANSACTION_ANSWER_LOST,
            Kind.TRANSACTION_LATE,
            Kind.CRASH);

    private final Draws draws;
    private final Set<Kind> never;
    private int commits;
    private int positions;
    private int questions;
    private int transactions;
    private final AtomicInteger sends = new AtomicInteger();
    /** Asked on other threads than the consumer's. */
    private final AtomicInteger adminQuestions = new AtomicInteger();

    /** @param never what doesn't happen in this run */
    public Trouble(Draws draws, Set<Kind> never) {
        this.draws = draws;
        this.never = never.isEmpty() ? EnumSet.noneOf(Kind.class) : EnumSet.copyOf(never);
    }

    /** Nothing goes wrong. */
    public static Trouble none() {
        Draws none = new Draws(0, Set.of());
        none.end();
        return new Trouble(none, EnumSet.noneOf(Kind.class));
    }

    boolean isOver() {
        return draws.isOver();
    }

    @Nullable
    Kind atPoll(int tick) {
        return draw(AT_POLL, "at poll " + tick);
    }

    @Nullable
    Kind atCommit() {
        return draw(AT_COMMIT, "at commit " + ++commits);
    }

    /** Whether a commit that is woken up, or whose process dies, wasn't sent yet. */
    boolean isUnsent() {
        return draws.chance(3, "commit " + commits + " isn't sent");
    }

    /** Whether the commit of a transaction whose process dies wasn't sent yet. */
    boolean isTransactionUnsent() {
        return draws.chance(2, "commit of transaction " + transactions + " isn't sent");
    }

    @Nullable
    Kind atPosition() {
        return draw(AT_POSITION, "at position " + ++positions);
    }

    @Nullable
    Kind atQuestion() {
        return draw(AT_QUESTION, "at question " + ++questions);
    }

    @Nullable
    Kind atAdmin() {
        return draw(AT_ADMIN, "at question " + adminQuestions.incrementAndGet());
    }

    @Nullable
    Kind atSend() {
        return draw(AT_SEND, "at send " + sends.incrementAndGet());
    }

    @Nullable
    Kind atBegin() {
        return draw(AT_BEGIN, "at begin " + ++transactions);
    }

    @Nullable
    Kind atTransaction() {
        return draw(AT_TRANSACTION, "at transaction " + ++transactions);
    }

    int below(int bound, String what) {
        return draws.below(bound, what);
    }

    boolean chance(int oneIn, String event) {
        return draws.chance(oneIn, event);
    }

    private @Nullable Kind draw(Set<Kind> here, String when) {
        Set<Kind> possible = EnumSet.copyOf(here);
        possible.removeAll(never);
        return draws.happening(possible, when);
    }

    /** No more faults: what the run has broken must now heal. */
    public void end() {
        draws.end();
    }
}
