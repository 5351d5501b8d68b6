package io.dedup.examples.recipes;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** A database with the table of the records, and with those that a recipe's page shows. */
final class RecipeDatabase implements AutoCloseable {
    private static final Pattern SQL = Pattern.compile("```sql\n(CREATE TABLE .*?)\n```", Pattern.DOTALL);

    private final SqlDatabase database = PostgresServers.newDatabase();
    private final HikariDataSource pool = pool(database.jdbcUrl(), database.user(), database.password());
    private final JdbcDedupStore store = JdbcDedupStore.builder(pool)
            .initializeSchema(InitializeSchema.ALWAYS)
            .build();

    static HikariDataSource pool(String url, String user, String password) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setUsername(user);
        pool.setPassword(password);
        return pool;
    }

    /** The tables of a page. */
    RecipeDatabase withTablesOf(String page) {
        try {
            String text = Files.readString(Path.of("../docs/recipes").resolve(page));
            for (MatchResult tables : SQL.matcher(text).results().toList()) {
                jdbc().execute(tables.group(1));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    JdbcDedupStore store() {
        return store;
    }

    DataSource dataSource() {
        return pool;
    }

    JdbcTemplate jdbc() {
        return new JdbcTemplate(pool);
    }

    long count(String table) {
        Long rows = jdbc().queryForObject("SELECT count(*) FROM " + table, Long.class);
        return rows == null ? 0 : rows;
    }

    /** As if so much time had passed for the records: they end so much earlier. */
    void elapse(Duration time) {
        long micros = TimeUnit.MICROSECONDS.convert(time);
        int unused = jdbc().update(
                        "UPDATE dedup_record SET expires_at = expires_at - ?, completed_at = completed_at - ?",
                        micros,
                        micros);
    }

    /** What another process needs to connect. */
    String[] address() {
        return new String[] {database.jdbcUrl(), database.user(), database.password()};
    }

    @Override
    public void close() {
        store.close();
        pool.close();
        database.close();
    }
}
