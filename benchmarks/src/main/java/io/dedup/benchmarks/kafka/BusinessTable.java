package io.dedup.benchmarks.kafka;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** What handlers write, and the rows with a unique key by which one deduplicates by hand; on PostgreSQL. Thread-safe. */
final class BusinessTable {
    private static final String INSERT = "INSERT INTO payment (id, amount) VALUES (?, ?)";
    private static final String CLAIM =
            "INSERT INTO payment_seen (id, at) VALUES (?, CURRENT_TIMESTAMP) ON CONFLICT DO NOTHING";
    private static final String CLAIM_ALL = "INSERT INTO payment_seen (id, at)"
            + " SELECT u, CURRENT_TIMESTAMP FROM unnest(?::text[]) AS u ORDER BY u ON CONFLICT DO NOTHING RETURNING id";

    private final JdbcTemplate jdbc;

    BusinessTable(DataSource database) {
        jdbc = new JdbcTemplate(database);
        jdbc.execute("CREATE TABLE IF NOT EXISTS payment (id varchar(80) NOT NULL, amount bigint NOT NULL)");
        jdbc.execute("CREATE TABLE IF NOT EXISTS payment_seen (id varchar(80) PRIMARY KEY, at timestamp NOT NULL)");
    }

    void clear() {
        jdbc.execute("TRUNCATE payment, payment_seen");
    }

    void insert(String id) {
        jdbc.update(INSERT, id, 1L);
    }

    void insertAll(Collection<String> ids) {
        List<Object[]> rows = new ArrayList<>(ids.size());
        ids.forEach(id -> rows.add(new Object[] {id, 1L}));
        jdbc.batchUpdate(INSERT, rows);
    }

    /** By hand: whether this transaction has written the ID's row. */
    boolean isNew(String id) {
        return jdbc.update(CLAIM, id) == 1;
    }

    /** By hand: those whose rows this transaction has written. */
    List<String> newOf(Set<String> ids) {
        return jdbc.query(
                connection -> {
                    var statement = connection.prepareStatement(CLAIM_ALL);
                    statement.setArray(1, connection.createArrayOf("text", ids.toArray()));
                    return statement;
                },
                (row, number) -> row.getString(1));
    }

    /** How many rows there are beyond one for each ID. */
    long doubled() {
        Long doubled = jdbc.queryForObject("SELECT count(*) - count(DISTINCT id) FROM payment", Long.class);
        return doubled == null ? 0 : doubled;
    }
}
