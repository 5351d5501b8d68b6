package io.dedup.store.jdbc.internal.start;

import io.dedup.store.jdbc.internal.dialect.Dialect;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import io.dedup.store.jdbc.internal.generic.GenericDialect;
import io.dedup.store.jdbc.internal.mysql.MySqlDialect;
import io.dedup.store.jdbc.internal.postgres.PostgresDialect;
import io.dedup.store.jdbc.internal.sql.Database;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.jdbc.internal.sql.StoreClock;
import org.jspecify.annotations.Nullable;

/** Creates the {@link Dialect} of a store. */
final class Dialects {
    private static final String H2_CLOCK =
            "SELECT CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000000 AS BIGINT) AS store_time";
    private static final String STANDARD_CLOCK = "SELECT CURRENT_TIMESTAMP AS store_time";

    private Dialects() {}

    /**
     * Creates the dialect.
     *
     * @param clockQuery the user's query, for the generic dialect; null for the standard one
     */
    static Dialect create(Database database, JdbcSettings settings, SqlFailures failures, @Nullable String clockQuery) {
        return switch (database) {
            case POSTGRESQL -> new PostgresDialect(settings, failures);
            case MARIADB -> new MySqlDialect(settings, failures, true);
            case MYSQL -> new MySqlDialect(settings, failures, false);
            // H2 would keep a statement's timeout for the whole connection. It has its own lock timeout.
            case H2 -> new GenericDialect(settings, failures, new StoreClock(H2_CLOCK, false), new Statements(0), true);
            case GENERIC -> {
                StoreClock clock =
                        clockQuery == null ? new StoreClock(STANDARD_CLOCK, true) : new StoreClock(clockQuery, false);
                Statements statements = new Statements(settings.queryTimeoutSeconds());
                yield new GenericDialect(settings, failures, clock, statements, false);
            }
        };
    }
}
