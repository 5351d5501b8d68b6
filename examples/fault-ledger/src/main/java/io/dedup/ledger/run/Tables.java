package io.dedup.ledger.run;

import io.dedup.ledger.plan.Message;
import io.dedup.ledger.plan.Row;
import io.dedup.ledger.scheme.CamelRoute;
import io.dedup.ledger.scheme.IntegrationReceiver;
import io.dedup.ledger.scheme.OneTimeToken;
import io.dedup.ledger.scheme.Stores;
import io.dedup.ledger.tally.Effect;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The data of the rows' schemes: prepared before the first message, and read at the end. */
final class Tables {
    private final Servers servers;
    private final DriverManagerDataSource dataSource;
    private final JdbcTemplate jdbc;

    Tables(Servers servers) {
        this.servers = servers;
        this.dataSource = new DriverManagerDataSource(
                servers.database().jdbcUrl(),
                servers.database().user(),
                servers.database().password());
        this.jdbc = new JdbcTemplate(dataSource);
    }

    static String name(String table, Row row) {
        return new Stores(row.id(), List.of(), null, "", "", 0).table(table);
    }

    void create(Row row) {
        if (!row.database()) {
            return;
        }
        if (row.effect() == Row.Effect.ROW) {
            jdbc.execute("CREATE TABLE " + name("effect", row) + " (n bigserial PRIMARY KEY, id varchar(40) NOT NULL,"
                    + " attempt int NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp())");
        }
        if (row.mode().isPresent()) {
            JdbcDedupStore.builder(dataSource)
                    .table(name("dedup", row))
                    .initializeSchema(InitializeSchema.ALWAYS)
                    .build()
                    .close();
            return;
        }
        switch (row) {
            case STATUS, FOR_UPDATE, OPTIMISTIC ->
                jdbc.execute("CREATE TABLE " + name("business", row)
                        + " (id varchar(40) PRIMARY KEY, status varchar(10) NOT NULL, version int NOT NULL)");
            case CAMEL_JDBC, CAMEL_JDBC_TX -> jdbc.execute("CREATE TABLE " + name("camel", row) + CamelRoute.COLUMNS);
            case INTEGRATION, INTEGRATION_TX ->
                jdbc.execute("CREATE TABLE " + metadata(row) + IntegrationReceiver.COLUMNS);
            default -> jdbc.execute("CREATE TABLE " + name("seen", row) + " (id varchar(40) PRIMARY KEY)");
        }
    }

    private static String metadata(Row row) {
        return name("int", row) + IntegrationReceiver.TABLE;
    }

    /** What the business has done before it sends its messages. */
    void prepare(Collection<Row> rows, Collection<Message> messages) {
        for (Row row : rows) {
            switch (row) {
                case STATUS, FOR_UPDATE, OPTIMISTIC ->
                    jdbc.batchUpdate(
                            "INSERT INTO " + name("business", row) + " (id, status, version) VALUES (?, 'NEW', 0)",
                            messages.stream()
                                    .map(message -> new Object[] {message.id()})
                                    .toList());
                case TOKEN -> {
                    List<String> command = new ArrayList<>(List.of("MSET"));
                    for (Message message : messages) {
                        command.add(OneTimeToken.key(row.id(), message.id()));
                        command.add(message.id());
                    }
                    servers.redis(command.toArray(String[]::new));
                }
                default -> {} // nothing
            }
        }
    }

    /** Deletes the records of rows whose effects are elsewhere. */
    void forget(Collection<Row> rows) {
        for (Row row : rows) {
            if (row.database() && row.effect() == Row.Effect.CALL) {
                jdbc.execute("DELETE FROM "
                        + switch (row) {
                            case LEASED_JDBC -> name("dedup", row);
                            case CAMEL_JDBC -> name("camel", row);
                            case INTEGRATION -> metadata(row);
                            default -> name("seen", row);
                        });
            }
        }
    }

    List<Effect> effects(Row row) {
        return jdbc.query(
                "SELECT id, attempt, (extract(epoch FROM at) * 1000)::bigint FROM " + name("effect", row)
                        + " ORDER BY n",
                (found, n) -> new Effect(found.getString(1), found.getInt(2), found.getLong(3)));
    }
}
