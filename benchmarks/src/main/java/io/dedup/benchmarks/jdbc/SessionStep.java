package io.dedup.benchmarks.jdbc;

import io.dedup.benchmarks.subject.IdSlots;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** A call of the store on a connection, which can be repeated for other messages. Thread-safe. */
sealed interface SessionStep {
    /** Makes the call, and reads the whole answer. */
    void run(Connection connection, List<String> ids) throws SQLException;

    /** A prepared statement: executed once, or as a batch of several sets of parameters. */
    record Prepared(String sql, List<List<Binding>> executions, boolean batch) implements SessionStep {
        @Override
        public void run(Connection connection, List<String> ids) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (List<Binding> bindings : executions) {
                    for (Binding binding : bindings) {
                        binding.bind(statement, ids);
                    }
                    if (batch) {
                        statement.addBatch();
                    }
                }
                if (batch) {
                    int[] ignored = statement.executeBatch();
                } else {
                    readAll(statement, statement.execute());
                }
            }
        }
    }

    /** A statement with its values in its text. */
    record Plain(IdSlots.HexSlots sql) implements SessionStep {
        @Override
        public void run(Connection connection, List<String> ids) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                readAll(statement, statement.execute(sql.text(ids)));
            }
        }
    }

    /**
     * A statement that the server keeps by a name, with its values in its text.
     *
     * @param prepare what makes it keep the statement, in a session that doesn't know the name yet
     */
    record Kept(String prepare, IdSlots.HexSlots execute) implements SessionStep {
        private static final int UNKNOWN_NAME = 1243;

        @Override
        public void run(Connection connection, List<String> ids) throws SQLException {
            String text = execute.text(ids);
            try (Statement statement = connection.createStatement()) {
                boolean hasRows;
                try {
                    hasRows = statement.execute(text);
                } catch (SQLException e) {
                    if (e.getErrorCode() != UNKNOWN_NAME) {
                        throw e;
                    }
                    statement.execute(prepare);
                    hasRows = statement.execute(text);
                }
                readAll(statement, hasRows);
            }
        }
    }

    /** What belongs to the transaction, and may take a round trip. */
    enum Transaction implements SessionStep {
        BEGIN,
        END,
        COMMIT,
        ROLLBACK;

        @Override
        public void run(Connection connection, List<String> ids) throws SQLException {
            switch (this) {
                case BEGIN -> connection.setAutoCommit(false);
                case END -> connection.setAutoCommit(true);
                case COMMIT -> connection.commit();
                case ROLLBACK -> connection.rollback();
            }
        }
    }

    private static void readAll(Statement statement, boolean hasRows) throws SQLException {
        if (!hasRows) {
            return;
        }
        try (ResultSet rows = statement.getResultSet()) {
            int columns = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                for (int i = 1; i <= columns; i++) {
                    Object ignored = rows.getObject(i);
                }
            }
        }
    }
}
