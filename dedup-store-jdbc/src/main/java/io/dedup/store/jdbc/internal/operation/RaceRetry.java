package io.dedup.store.jdbc.internal.operation;

import io.dedup.store.jdbc.internal.failure.FailureKind;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Repeats a request if another session was faster. */
public final class RaceRetry {
    /** How many races a request may lose before it fails. Each time, another session made progress. */
    public static final int MAX_ROUNDS = 20;

    private RaceRetry() {}

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
        }
        throw failures.raced(operation, MAX_ROUNDS, last);
    }
}
