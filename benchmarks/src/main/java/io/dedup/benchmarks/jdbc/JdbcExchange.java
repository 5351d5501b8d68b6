package io.dedup.benchmarks.jdbc;

import io.dedup.benchmarks.subject.Exchange;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/**
 * Captured requests, sent by plain JDBC on connections of the same pool. Thread-safe.
 *
 * @param sessions what to do with each connection
 */
record JdbcExchange(DataSource pool, List<List<SessionStep>> sessions) implements Exchange {
    JdbcExchange {
        if (sessions.isEmpty()) {
            throw new IllegalStateException("the store did nothing with a connection");
        }
    }

    @Override
    public void send(List<String> ids) {
        for (List<SessionStep> steps : sessions) {
            try (Connection connection = pool.getConnection()) {
                for (SessionStep step : steps) {
                    step.run(connection, ids);
                }
            } catch (SQLException e) {
                throw new IllegalStateException("no answer from the database", e);
            }
        }
    }
}
