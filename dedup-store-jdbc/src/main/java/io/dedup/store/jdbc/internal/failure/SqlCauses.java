package io.dedup.store.jdbc.internal.failure;

import io.dedup.text.Causes;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Searches an exception, its causes, and the further exceptions of a failed batch. */
public final class SqlCauses {
    /** Deeper than real chains; needed because a chain can be circular. */
    private static final int MAX_DEPTH = 50;

    private SqlCauses() {}

    /** The SQL exceptions among the exception and its causes, each followed by those of its batch. */
    public static List<SQLException> sqlOf(Throwable failure) {
        List<SQLException> all = new ArrayList<>();
        for (Throwable cause : Causes.of(failure)) {
            if (cause instanceof SQLException first) {
                all.addAll(batchOf(first));
            }
        }
        return all;
    }

    /** Returns the exception and the further exceptions of a failed batch. */
    static List<SQLException> batchOf(SQLException first) {
        List<SQLException> batch = new ArrayList<>();
        for (SQLException e = first; e != null && batch.size() < MAX_DEPTH; e = e.getNextException()) {
            batch.add(e);
        }
        return batch;
    }

    public static boolean anySql(Throwable failure, Predicate<SQLException> what) {
        return sqlOf(failure).stream().anyMatch(what);
    }
}
