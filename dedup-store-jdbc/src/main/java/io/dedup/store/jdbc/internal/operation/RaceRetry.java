package io.dedup.store.jdbc.internal.operation;

import io.dedup.store.jdbc.internal.failure.FailureKind;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Repeats a request if another session was faster. */
public final class RaceRetry {
    /** How many races a request may lose before it fails. Each time, another session made progress. */
    public static final int MAX_ROUNDS = 20;

    /** So many races may be lost by chance. Whoever loses more may do so for as long as it keeps the other one's time. */
    private static final int AT_ONCE = 5;

    private static final long LONGEST_PAUSE_NANOS = Duration.ofMillis(20).toNanos();

    private RaceRetry() {}

    /** Waits after a lost race, if many were lost before. */
    public static void lost(int round) {
        if (round >= AT_ONCE) {
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS));
        }
    }

    /** Asks once. */
    public interface Attempt<A> {
        /** The answer; null when another session changed the row first. */
        @Nullable
        A ask() throws SQLException;
    }

    /** The first answer. */
    public static <A> A untilAnswered(String operation, SqlFailures failures, Attempt<A> attempt) throws SQLException {
        SQLException last = null;
        for (int round = 0; round < MAX_ROUNDS; round++) {
            try {
                A answer = attempt.ask();
                if (answer != null) {
                    return answer;
                }
            } catch (SQLException e) {
                if (failures.errors().kind(e) != FailureKind.RACE) {
                    throw e;
                }
                last = e;
            }
            lost(round);
        }
        throw failures.raced(operation, MAX_ROUNDS, last);
    }
}
