package io.dedup.store.jdbc.internal.schema;

import io.dedup.store.jdbc.internal.sql.Database;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.TableName;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.JDBCType;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Creates the table if configured, and checks that it can keep IDs apart. */
public final class Schema {
    private static final int KEY_BYTES = 255;
    private static final Set<String> KEY = Set.of("message_id", "scope");
    private static final List<String> BINARY = List.of("BINARY", "VARBINARY", "LONGVARBINARY", "BLOB");
    private static final String COLUMNS = "message_id, scope, state, owner, attempt, deaths, token, lease_until,"
            + " completed_at, expires_at, fingerprint, result";

    /** Only tables with digests have it. A column, unlike a comment, survives a dump, and nothing can change it by accident. */
    private static final String DIGEST_COLUMN = "key_digest";

    private static final String POSTGRES_PURGE_INDEX = "SELECT 1 FROM pg_index i JOIN pg_attribute a"
            + " ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]"
            + " WHERE i.indrelid = to_regclass(?) AND i.indisvalid AND a.attname = 'purge_hour' LIMIT 1";

    private static final String POSTGRES_SCHEMA = "SELECT n.nspname FROM pg_class c"
            + " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass(?)";

    private final TableName table;
    private final KeyFormat keys;
    private final Database database;
    private final SchemaVersion version;

    public Schema(TableName table, KeyFormat keys, Database database) {
        this.table = table;
        this.keys = keys;
        this.database = database;
        this.version = new SchemaVersion(table, keys, database);
    }

    /** Whether to create the table if it is missing. */
    public interface Creation {
        boolean isWanted(Connection connection) throws SQLException;
    }

    /**
     * Ensures that the table exists and can be used.
     *
     * @throws SQLException if it is missing or cannot be created
     * @throws IllegalStateException if it cannot be used
     */
    public void prepare(Connection connection, Creation creation) throws SQLException {
        boolean create = creation.isWanted(connection);
        try {
            check(connection);
        } catch (SQLException missing) {
            version.refuseOlder(connection, COLUMNS, missing);
            if (!create) {
                throw missing;
            }
            create(connection, missing);
            check(connection);
        }
        version.check(connection);
        checkKeyFormat(connection);
        Set<String> key = primaryKey(connection);
        if (key.isEmpty() && create && database.maybeH2()) {
            // H2 shows a table before it has its key. Creating it again fails, but only after the session that is
            // creating it has finished.
            create(connection, new SQLException("table " + table + " has no primary key"));
            key = primaryKey(connection);
        }
        if (!key.equals(KEY)) { // without it, two claims of one message both insert a row
            throw new IllegalStateException("The primary key of table " + table + " is " + key
                    + ", but must be (message_id, scope), as in classpath:" + database.schemaResource(keys));
        }
    }

    /**
     * Checks on PostgreSQL that the purge has its index: an upgrade that runs statement by statement may have stopped
     * before creating it, or during a concurrent creation. (The upgrade of MySQL and MariaDB is one statement.)
     *
     * @return warnings about a table that can be used
     */
    public List<String> warnings(Connection connection) throws SQLException {
        if (database != Database.POSTGRESQL) {
            return List.of();
        }
        try (PreparedStatement statement = connection.prepareStatement(POSTGRES_PURGE_INDEX)) {
            statement.setString(1, table.sql());
            try (ResultSet index = statement.executeQuery()) {
                if (index.next()) {
                    return List.of();
                }
            }
        }
        return List.of("Table " + table
                + " has no valid index that begins with purge_hour: each purge reads the whole table, and times out if it"
                + " is large. Run outside a transaction: "
                + table.inSchemaFile("DROP INDEX IF EXISTS " + TableName.DEFAULT + "_purge; CREATE INDEX CONCURRENTLY "
                        + TableName.DEFAULT + "_purge ON " + TableName.DEFAULT
                        + " (purge_hour); on a partitioned table, without CONCURRENTLY"));
    }

    /** Whether the database runs in this process. */
    public static boolean isEmbedded(DatabaseMetaData metaData) throws SQLException {
        String url = String.valueOf(metaData.getURL());
        return url.startsWith("jdbc:h2:") && !url.startsWith("jdbc:h2:tcp:") && !url.startsWith("jdbc:h2:ssl:");
    }

    private void create(Connection connection, SQLException missing) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : SchemaScript.statements(database.schemaResource(keys), table)) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            e.addSuppressed(missing);
            try {
                check(connection); // another process may have been faster
            } catch (SQLException stillMissing) {
                throw e;
            }
        }
    }

    private void check(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(
                        table.in("SELECT " + COLUMNS + version.newColumns() + " FROM {table} WHERE 1 = 0"))) {
            ResultSetMetaData columns = result.getMetaData();
            checkKeyColumn(columns, 1);
            checkKeyColumn(columns, 2);
        }
    }

    /**
     * With two formats in one table, a message would have two records, and be handled twice.
     *
     * @throws IllegalStateException if the table was created for another format than the store's
     */
    private void checkKeyFormat(Connection connection) throws SQLException {
        KeyFormat found = keyFormat(connection);
        if (found != keys) {
            throw new IllegalStateException("Table " + table
                    + (found == KeyFormat.DIGEST
                            ? " was created for digests of message IDs (it has the column " + DIGEST_COLUMN
                                    + "), but keyFormat is PLAIN"
                            : " was created for plain message IDs (it lacks the column " + DIGEST_COLUMN
                                    + "), but keyFormat is DIGEST")
                    + ". Set keyFormat to " + found + ", or set table(...) to another table, created from classpath:"
                    + database.schemaResource(keys));
        }
    }

    private KeyFormat keyFormat(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(table.in("SELECT * FROM {table} WHERE 1 = 0"))) {
            ResultSetMetaData columns = result.getMetaData();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                if (columns.getColumnName(i).equalsIgnoreCase(DIGEST_COLUMN)) {
                    return KeyFormat.DIGEST;
                }
            }
            return KeyFormat.PLAIN;
        }
    }

    /**
     * Text would compare by a collation, which may treat two IDs as equal; a short column may truncate two IDs to the
     * same value.
     */
    private void checkKeyColumn(ResultSetMetaData columns, int column) throws SQLException {
        int precision = columns.getPrecision(column);
        String type = jdbcType(columns.getColumnType(column));
        if (!BINARY.contains(type) || (precision > 0 && precision < KEY_BYTES)) {
            throw new IllegalStateException("Column " + columns.getColumnName(column) + " of table " + table + " is "
                    + columns.getColumnTypeName(column) + (precision > 0 ? "(" + precision + ")" : "")
                    + ", for JDBC " + type + ", but must be binary and hold " + KEY_BYTES + " bytes (for JDBC "
                    + String.join(", ", BINARY) + "), as in classpath:"
                    + database.schemaResource(keys));
        }
    }

    /** A driver may have types of its own. */
    private static String jdbcType(int type) {
        return Stream.of(JDBCType.values())
                .filter(each -> each.getVendorTypeNumber() == type)
                .findFirst()
                .map(JDBCType::getName)
                .orElse("type " + type);
    }

    private Set<String> primaryKey(Connection connection) throws SQLException {
        Set<String> columns = new HashSet<>();
        DatabaseMetaData metaData = connection.getMetaData();
        String name = folded(metaData, table.name());
        boolean schemaIsCatalog = database.isMySqlOrMariaDb();
        String schema = table.schema() != null
                ? folded(metaData, table.schema())
                : database == Database.POSTGRESQL ? foundIn(connection) : null;
        String catalog = schemaIsCatalog && schema != null ? schema : connection.getCatalog();
        try (ResultSet keys = metaData.getPrimaryKeys(
                catalog, schemaIsCatalog ? null : schema == null ? connection.getSchema() : schema, name)) {
            while (keys.next()) {
                columns.add(keys.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
            }
        }
        return columns;
    }

    /** The schema of the table, which need not be the first one of the search path. */
    private @Nullable String foundIn(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(POSTGRES_SCHEMA)) {
            statement.setString(1, table.sql());
            try (ResultSet found = statement.executeQuery()) {
                return found.next() ? found.getString(1) : null;
            }
        }
    }

    private static String folded(DatabaseMetaData metaData, String identifier) throws SQLException {
        if (metaData.storesUpperCaseIdentifiers()) {
            return identifier.toUpperCase(Locale.ROOT);
        }
        return metaData.storesLowerCaseIdentifiers() ? identifier.toLowerCase(Locale.ROOT) : identifier;
    }
}
