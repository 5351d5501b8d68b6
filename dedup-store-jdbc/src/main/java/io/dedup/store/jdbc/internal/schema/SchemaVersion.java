package io.dedup.store.jdbc.internal.schema;

import io.dedup.store.jdbc.internal.sql.Database;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.TableName;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The schema version of a table: from its comment or, if a dump has lost that, from its columns. Version 2 added
 * {@code purge_hour} on PostgreSQL and {@code write_mark} on MySQL and MariaDB.
 */
final class SchemaVersion {
    static final int CURRENT = 2;

    private static final Pattern IN_COMMENT = Pattern.compile("dedup schema (\\d{1,9})");
    private static final String POSTGRES_COMMENT = "SELECT obj_description(to_regclass(?)::oid, 'pg_class')";
    private static final String MYSQL_COMMENT = "SELECT table_comment FROM information_schema.tables"
            + " WHERE table_schema = coalesce(?, DATABASE()) AND table_name = ?";

    private final TableName table;
    private final KeyFormat keys;
    private final Database database;

    SchemaVersion(TableName table, KeyFormat keys, Database database) {
        this.table = table;
        this.keys = keys;
        this.database = database;
    }

    /** The columns that this version added, each after a comma. */
    String newColumns() {
        return switch (database) {
            case POSTGRESQL -> ", purge_hour";
            case MYSQL, MARIADB -> ", write_mark";
            case H2, GENERIC -> "";
        };
    }

    /**
     * Checks whether columns are missing because the table has an older version, which has all earlier columns.
     *
     * @throws IllegalStateException if so; says what to do
     */
    void refuseOlder(Connection connection, String columnsOfBefore, SQLException missing) {
        if (newColumns().isEmpty()) {
            return;
        }
        // In this order: another process may be creating the whole table just now.
        if (has(connection, columnsOfBefore) && !has(connection, columnsOfBefore + newColumns())) {
            throw older(CURRENT - 1, missing);
        }
    }

    @SuppressWarnings("SqlSourceToSinkFlow") // from constants and a checked table name
    private boolean has(Connection connection, String columns) {
        try (Statement statement = connection.createStatement();
                ResultSet ignored =
                        statement.executeQuery(table.in("SELECT " + columns + " FROM {table} WHERE 1 = 0"))) {
            return true;
        } catch (SQLException missing) {
            return false;
        }
    }

    /**
     * Checks the comment of a table that has all columns.
     *
     * @throws IllegalStateException if it names another version than this release needs
     */
    void check(Connection connection) throws SQLException {
        String comment = comment(connection);
        Matcher matcher = IN_COMMENT.matcher(comment == null ? "" : comment);
        int version = matcher.find() ? Integer.parseInt(matcher.group(1)) : CURRENT;
        if (version > CURRENT) {
            throw new IllegalStateException("Table " + table + " has schema version " + version
                    + ", which a newer release created; this release needs version " + CURRENT
                    + ". Upgrade the library, or use another table(...)");
        }
        if (version < CURRENT) {
            throw older(version, null);
        }
    }

    private IllegalStateException older(int version, @Nullable SQLException cause) {
        String file = database.upgradeResource(CURRENT);
        boolean script = !newColumns().isEmpty();
        String todo = script
                ? "Apply classpath:" + file + " to it: " + String.join("; ", SchemaScript.statements(file, table)) + ";"
                : "Compare it with classpath:" + database.schemaResource(keys) + ", and correct its comment";
        return new IllegalStateException(
                "Table " + table + " has schema version " + version + "; this release needs version " + CURRENT + ". "
                        + todo,
                cause);
    }

    private @Nullable String comment(Connection connection) throws SQLException {
        return switch (database) {
            case POSTGRESQL -> query(connection, POSTGRES_COMMENT, table.sql());
            case MYSQL, MARIADB -> query(connection, MYSQL_COMMENT, table.schema(), table.name());
            case H2 -> remarks(connection);
            case GENERIC -> null; // drivers differ too much
        };
    }

    private static @Nullable String query(Connection connection, String sql, @Nullable String... values)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    private @Nullable String remarks(Connection connection) throws SQLException {
        DatabaseMetaData metaData = connection.getMetaData();
        String schema =
                table.schema() == null ? connection.getSchema() : table.schema().toUpperCase(Locale.ROOT);
        try (ResultSet tables = metaData.getTables(null, schema, null, null)) {
            while (tables.next()) {
                if (table.name().equalsIgnoreCase(tables.getString("TABLE_NAME"))) {
                    return tables.getString("REMARKS");
                }
            }
        }
        return null;
    }
}
