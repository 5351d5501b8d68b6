package io.dedup.store.jdbc.internal.lookalike;

import io.dedup.store.jdbc.internal.dialect.WriteProbe;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.jdbc.internal.sql.TableName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;

/**
 * Refuses a table whose binary keys are compared as if the shorter one were padded. Derby does that with blanks: the
 * IDs "a" and "a " would be one message, and the second one would be skipped as a duplicate.
 */
public final class KeyPadding {
    private static final Statements STATEMENTS = new Statements(0);
    private static final byte[] PADDING = {0, ' '};

    private final TableName table;
    private final WriteProbe probe;
    private final String find;

    public KeyPadding(TableName table, WriteProbe probe) {
        this.table = table;
        this.probe = probe;
        this.find = table.in("SELECT COUNT(*) FROM {table} WHERE message_id = ? AND scope = ?");
    }

    /**
     * Compares a key with longer ones.
     *
     * @param connection in autocommit mode
     * @throws IllegalStateException if they count as equal
     */
    public void check(Connection connection) throws SQLException {
        probe.withRow(connection, id -> {
            for (byte padding : PADDING) {
                byte[] longer = Arrays.copyOf(id, id.length + 1);
                longer[id.length] = padding;
                if (isThere(connection, longer)) {
                    throw new IllegalStateException("The key columns of table " + table
                            + " are compared as if the shorter value were padded with byte " + padding
                            + ": two message IDs could count as one. Use a binary type that compares lengths too, or"
                            + " another database");
                }
            }
        });
    }

    private boolean isThere(Connection connection, byte[] id) throws SQLException {
        try (PreparedStatement statement = STATEMENTS.prepare(connection, find)) {
            WriteProbe.bind(statement, id);
            try (ResultSet result = statement.executeQuery()) {
                return result.next() && result.getLong(1) > 0;
            }
        }
    }
}
