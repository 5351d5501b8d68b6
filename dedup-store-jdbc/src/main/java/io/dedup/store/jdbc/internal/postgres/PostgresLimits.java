package io.dedup.store.jdbc.internal.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The timeouts of the session that limit a transaction on PostgreSQL. The statement that claims sets those that an
 * operator has not set.
 *
 * @param version of the server
 * @param unset those that were not set when last checked; the others are checked with each claim, which takes longer
 */
record PostgresLimits(int version, Set<String> unset) {
    /** The first version that can limit a transaction as a whole. */
    private static final int WHOLE = 17;

    private static final String TRANSACTION = "transaction_timeout";
    private static final List<String> BEFORE_17 = List.of("statement_timeout", "idle_in_transaction_session_timeout");

    private static final List<String> ALL =
            Stream.concat(Stream.of(TRANSACTION), BEFORE_17.stream()).toList();

    /** The settings as columns of a query, null if the server does not know one. */
    static final String COLUMNS = ALL.stream()
            .map(setting -> "current_setting('" + setting + "', true)")
            .collect(Collectors.joining(", "));

    /** The limits before they have been checked. */
    static PostgresLimits unknown(int version) {
        return new PostgresLimits(version, Set.of());
    }

    /**
     * Reads the limits.
     *
     * @param first the index of the first of {@link #COLUMNS}
     */
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

    /**
     * Whether the limits also apply to the statement that sets them; on older versions they apply to later statements.
     */
    boolean boundThemselves() {
        return version >= WHOLE;
    }

    /**
     * A condition that is always true, starts with {@code AND}, and sets the limits until the end of the transaction.
     *
     * @param value an expression, used {@link #count} times
     */
    String and(String value) {
        return settings().stream().map(setting -> " AND " + set(setting, value)).collect(Collectors.joining());
    }

    private String set(String setting, String value) {
        String ours = "set_config('" + setting + "', " + value + ", true) IS NOT NULL";
        return unset.contains(setting) ? ours : "(current_setting('" + setting + "') <> '0' OR " + ours + ")";
    }
}
