package io.dedup.store.jdbc.internal.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What bounds a transaction on PostgreSQL: time-outs of the session, which the statement that claims sets where an operator
 * hasn't.
 *
 * @param version of the server
 * @param unset those that nobody had set when somebody looked; the others are looked at with each claim, which takes longer
 */
record PostgresLimits(int version, Set<String> unset) {
    /** The first version that can bound a transaction as a whole. */
    private static final int WHOLE = 17;

    private static final String TRANSACTION = "transaction_timeout";
    private static final List<String> BEFORE_17 = List.of("statement_timeout", "idle_in_transaction_session_timeout");

    private static final List<String> ALL =
            Stream.concat(Stream.of(TRANSACTION), BEFORE_17.stream()).toList();

    /** Columns of a query: the settings, null where the server doesn't know one. */
    static final String COLUMNS = ALL.stream()
            .map(setting -> "current_setting('" + setting + "', true)")
            .collect(Collectors.joining(", "));

    /** Nobody has looked. */
    static PostgresLimits unknown(int version) {
        return new PostgresLimits(version, Set.of());
    }

    /** @param first where {@link #COLUMNS} begin */
    static PostgresLimits read(int version, ResultSet row, int first) throws SQLException {
        Set<String> unset = new HashSet<>();
        for (int i = 0; i < ALL.size(); i++) {
            if ("0".equals(row.getString(first + i))) {
                unset.add(ALL.get(i));
            }
        }
        return new PostgresLimits(version, Set.copyOf(unset));
    }

    private List<String> settings() {
        return version >= WHOLE ? List.of(TRANSACTION) : BEFORE_17;
    }

    int count() {
        return settings().size();
    }

    /** Whether the statement that sets them is bounded by them, too; older ones are for those that come after it. */
    boolean boundThemselves() {
        return version >= WHOLE;
    }

    /**
     * A condition that is true, with a leading {@code AND}, and in force until the transaction's end.
     *
     * @param value an expression, as often as {@link #count} says
     */
    String and(String value) {
        return settings().stream().map(setting -> " AND " + set(setting, value)).collect(Collectors.joining());
    }

    private String set(String setting, String value) {
        String ours = "set_config('" + setting + "', " + value + ", true) IS NOT NULL";
        return unset.contains(setting) ? ours : "(current_setting('" + setting + "') <> '0' OR " + ours + ")";
    }
}
