package io.dedup.failover.load;

import io.dedup.failover.plan.Effect;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** Effects that are rows of the database in whose transactions handlers run. For PostgreSQL and MariaDB. Thread-safe. */
public final class EffectTable {
    private final JdbcTemplate jdbc;

    public EffectTable(DataSource dataSource) {
        this.jdbc = new JdbcTemplate(dataSource);
    }

    /** Without a unique key, so that an effect that happens twice is two rows. */
    public void create() {
        jdbc.execute("CREATE TABLE effect (id varchar(40) NOT NULL, attempt int NOT NULL, millis bigint NOT NULL)");
    }

    /** Within the transaction of the caller's thread. */
    public void add(String id, int attempt) {
        jdbc.update(
                "INSERT INTO effect (id, attempt, millis) VALUES (?, ?, ?)", id, attempt, System.currentTimeMillis());
    }

    /** In their order. */
    public List<Effect> effects() {
        return jdbc.query(
                "SELECT id, attempt, millis FROM effect ORDER BY millis",
                (found, n) -> new Effect(found.getString(1), found.getInt(2), found.getLong(3)));
    }
}
