package io.dedup.testservers.sql;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Where a database server listens, and who may create databases there.
 *
 * @param prefix the JDBC URL up to the name of the database, such as {@code jdbc:postgresql://127.0.0.1:5432/}
 * @param adminDatabase the database to be connected to while creating others; may be empty
 * @param options the JDBC URL from its question mark on; may be empty
 */
public record SqlAddress(String prefix, String adminDatabase, String options, String user, String password) {

    /** From a JDBC URL with {@code user} and {@code password} among its options. */
    static SqlAddress parse(String setting, String url) {
        int question = url.indexOf('?');
        String location = question < 0 ? url : url.substring(0, question);
        List<String> options =
                question < 0 ? List.of() : List.of(url.substring(question + 1).split("&"));
        Map<String, String> byName = options.stream()
                .filter(option -> option.contains("="))
                .collect(Collectors.toMap(
                        option -> option.substring(0, option.indexOf('=')),
                        option -> option.substring(option.indexOf('=') + 1),
                        (first, second) -> second));
        int slash = location.lastIndexOf('/');
        if (!url.startsWith("jdbc:") || slash < 0 || !byName.containsKey("user")) {
            throw new IllegalArgumentException("dedup.test." + setting
                    + " must be jdbc:<driver>://host:port/<database>?user=…&password=…, with the right to create"
                    + " databases");
        }
        String others = options.stream()
                .filter(option -> !option.startsWith("user=") && !option.startsWith("password="))
                .collect(Collectors.joining("&"));
        return new SqlAddress(
                location.substring(0, slash + 1),
                location.substring(slash + 1),
                others.isEmpty() ? "" : "?" + others,
                byName.get("user"),
                byName.getOrDefault("password", ""));
    }

    /**
     * Creates an empty database with a name of its own. The server's JDBC driver has to be on the class path.
     *
     * @throws IllegalStateException when the server refuses or the driver is missing
     */
    public SqlDatabase newDatabase() {
        String name = "dedup_" + UUID.randomUUID().toString().replace("-", "");
        execute("CREATE DATABASE " + name);
        return new SqlDatabase(this, name);
    }

    void execute(String... statements) {
        try (Connection connection = DriverManager.getConnection(url(adminDatabase), user, password);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(Arrays.toString(statements) + " at " + prefix, e);
        }
    }

    String url(String database) {
        return prefix + database + options;
    }
}
