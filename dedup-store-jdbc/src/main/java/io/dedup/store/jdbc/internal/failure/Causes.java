package io.dedup.store.jdbc.internal.failure;

import java.sql.SQLException;
import java.util.function.Predicate;

/** Looks through an exception, its causes, and what a failed batch has beside them. */
public final class Causes {
    /** More than anybody wraps; a chain may be a circle. */
    static final int MAX_DEPTH = 50;

    private Causes() {}

    public static boolean anySql(Throwable failure, Predicate<SQLException> what) {
        Throwable cause = failure;
        for (int i = 0; cause != null && i < MAX_DEPTH; i++) {
            if (cause instanceof SQLException first && anyOfBatch(first, what)) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    private static boolean anyOfBatch(SQLException first, Predicate<SQLException> what) {
        SQLException e = first;
        for (int i = 0; e != null && i < MAX_DEPTH; i++) {
            if (what.test(e)) {
                return true;
            }
            e = e.getNextException();
        }
        return false;
    }
}
