package io.dedup.store.jdbc.internal.dialect;

import io.dedup.store.jdbc.internal.sql.Database;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The product and version that a server reports. MySQL drivers report MariaDB as MySQL, but its version contains the
 * name.
 */
public record ServerVersion(String product, String version, boolean mariaDb) {
    private static final Pattern NUMBERS = Pattern.compile("(\\d+)\\.(\\d+)");
    /** The prefix that MariaDB sends for drivers that consider version 10 older than 5. */
    private static final String REPLICATION_PREFIX = "5.5.5-";

    private static final int OLDEST_MARIADB = 1_006;
    private static final int OLDEST_MYSQL = 800;

    public static ServerVersion read(Connection connection) throws SQLException {
        DatabaseMetaData metaData = connection.getMetaData();
        String product = String.valueOf(metaData.getDatabaseProductName());
        String version = String.valueOf(metaData.getDatabaseProductVersion());
        boolean mariaDb = product.contains("MariaDB") || version.contains("MariaDB");
        return new ServerVersion(
                product,
                version.startsWith(REPLICATION_PREFIX) ? version.substring(REPLICATION_PREFIX.length()) : version,
                mariaDb);
    }

    public Database database() {
        if (mariaDb) {
            return Database.MARIADB;
        }
        return switch (product) {
            case "PostgreSQL" -> Database.POSTGRESQL;
            case "MySQL" -> Database.MYSQL;
            case "H2" -> Database.H2;
            default -> Database.GENERIC;
        };
    }

    /** @throws IllegalStateException when this is older than what the dialect needs */
    public void require(boolean mariaDbDialect) {
        Matcher matcher = NUMBERS.matcher(version);
        int number = matcher.find()
                ? 100 * Integer.parseInt(matcher.group(1)) + Integer.parseInt(matcher.group(2))
                : Integer.MAX_VALUE;
        if (mariaDbDialect && !mariaDb) {
            throw new IllegalStateException(
                    "dialect(MARIADB) does not work with " + product + " " + version + "; use dialect(MYSQL)");
        }
        if (number < (mariaDb ? OLDEST_MARIADB : OLDEST_MYSQL)) {
            throw new IllegalStateException(
                    "The store needs MariaDB 10.6 or MySQL 8.0 or newer, but the server is version " + version);
        }
    }
}
