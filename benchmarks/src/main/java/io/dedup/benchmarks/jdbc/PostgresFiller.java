package io.dedup.benchmarks.jdbc;

import io.dedup.benchmarks.measure.Ids;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Writes millions of rows, each a copy of a row that the store wrote, except for its ID. */
final class PostgresFiller {
    private static final int CHUNK = 20_000;

    private final Connection connection;
    private final String table;
    private final String idColumn;

    PostgresFiller(Connection connection, String table, String idColumn) {
        this.connection = connection;
        this.table = table;
        this.idColumn = idColumn;
    }

    /** The table holds the row of the number 0 and no other, and gets those from 1 to {@code size}. */
    @SuppressWarnings("SqlSourceToSinkFlow") // from the table's own names
    void fill(int size) throws SQLException {
        List<String> columns = columns();
        List<String> values = columns.stream()
                .map(column -> column.equals(idColumn) ? "ids.id" : "t." + column)
                .toList();
        String sql = "INSERT INTO " + table + " (" + String.join(", ", columns) + ") SELECT "
                + String.join(", ", values) + " FROM " + table + " t CROSS JOIN unnest(?::bytea[]) AS ids(id) WHERE t."
                + idColumn + " = ?";
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setBytes(2, id(0));
            for (int from = 1; from < size; from += CHUNK) {
                int to = Math.min(size, from + CHUNK);
                byte[][] ids =
                        IntStream.range(from, to).mapToObj(PostgresFiller::id).toArray(byte[][]::new);
                insert.setArray(1, connection.createArrayOf("bytea", ids));
                int rows = insert.executeUpdate();
                if (rows != ids.length) {
                    throw new IllegalStateException(rows + " rows were written instead of " + ids.length);
                }
            }
        }
        execute("VACUUM ANALYZE " + table);
        execute("CHECKPOINT");
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            int ignored = statement.executeUpdate(sql);
        }
    }

    @SuppressWarnings("SqlSourceToSinkFlow") // from the table's own names
    private List<String> columns() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM " + table + " LIMIT 1")) {
            ResultSetMetaData metaData = rows.getMetaData();
            List<String> columns = new ArrayList<>();
            for (int i = 1; i <= metaData.getColumnCount(); i++) {
                columns.add(metaData.getColumnName(i));
            }
            return columns;
        }
    }

    private static byte[] id(int number) {
        return Ids.text(number).getBytes(StandardCharsets.US_ASCII);
    }
}
