package io.dedup.ledger.rocketmq.run;

import io.dedup.ledger.rocketmq.plan.Mode;
import io.dedup.ledger.rocketmq.plan.RocketRow;
import io.dedup.ledger.scheme.Stores;
import io.dedup.ledger.tally.Effect;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.util.Collection;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** What rows have in the database before the first message, and what is found there in the end. */
final class Tables {
    private final DriverManagerDataSource dataSource;
    private final JdbcTemplate jdbc;

    Tables(Servers servers) {
        this.dataSource = new DriverManagerDataSource(
                servers.database().jdbcUrl(),
                servers.database().user(),
                servers.database().password());
        this.jdbc = new JdbcTemplate(dataSource);
    }

    private static String name(String table, RocketRow row) {
        return new Stores(row.id(), List.of(), null, "", "", 0).table(table);
    }

    void create(RocketRow row) {
        if (row.mode().isTransactional()) {
            jdbc.execute("CREATE TABLE " + name("effect", row) + " (n bigserial PRIMARY KEY, id varchar(40) NOT NULL,"
                    + " attempt int NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp())");
        }
        if (row.mode().database()) {
            JdbcDedupStore.builder(dataSource)
                    .table(name("dedup", row))
                    .initializeSchema(InitializeSchema.ALWAYS)
                    .build()
                    .close();
        }
    }

    /** Deletes the records of rows whose effects are elsewhere. */
    void forget(Collection<RocketRow> rows) {
        for (RocketRow row : rows) {
            if (row.mode() == Mode.LEASED_JDBC) {
                jdbc.execute("DELETE FROM " + name("dedup", row));
            }
        }
    }

    List<Effect> effects(RocketRow row) {
        return jdbc.query(
                "SELECT id, attempt, (extract(epoch FROM at) * 1000)::bigint FROM " + name("effect", row)
                        + " ORDER BY n",
                (found, n) -> new Effect(found.getString(1), found.getInt(2), found.getLong(3)));
    }
}
