package io.dedup.examples.plan;

import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.net.URI;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The servers of the samples. The tables have no unique key on bookings, which would hide what is doubled. */
final class Bookings implements AutoCloseable {
    private static final String URL = "spring.datasource.url";

    private final SqlDatabase database = PostgresServers.newDatabase();
    private final JdbcTemplate jdbc =
            new JdbcTemplate(new DriverManagerDataSource(database.jdbcUrl(), database.user(), database.password()));

    Bookings() {
        jdbc.execute("CREATE TABLE seen (payment varchar(100) PRIMARY KEY)");
        jdbc.execute("CREATE TABLE booking (payment varchar(100))");
    }

    JdbcTemplate jdbc() {
        return jdbc;
    }

    String bootstrapServers() {
        return KafkaServers.shared().bootstrapServers();
    }

    int databasePort() {
        return URI.create(database.jdbcUrl().substring("jdbc:".length())).getPort();
    }

    /** The database by way of a port of this machine. A store that is cut off without a word must not stop a listener for ever. */
    private String jdbcUrl(int port) {
        return database.jdbcUrlThrough(port) + "?connectTimeout=5&socketTimeout=5";
    }

    /** Where the application finds them. */
    Map<String, String> properties() {
        return Map.of(
                URL,
                jdbcUrl(databasePort()),
                "spring.datasource.username",
                database.user(),
                "spring.datasource.password",
                database.password(),
                "spring.kafka.bootstrap-servers",
                bootstrapServers(),
                "spring.kafka.consumer.auto-offset-reset",
                "earliest",
                "spring.kafka.consumer.properties.session.timeout.ms",
                "2000",
                "spring.kafka.consumer.properties.heartbeat.interval.ms",
                "500");
    }

    /** The same, as an application's arguments. Without the database: the plan may lead there through a proxy. */
    String[] arguments() {
        return properties().entrySet().stream()
                .filter(each -> !each.getKey().equals(URL))
                .map(each -> "--" + each.getKey() + "=" + each.getValue())
                .toArray(String[]::new);
    }

    /** The argument for the database. */
    String database(int port) {
        return "--" + URL + "=" + jdbcUrl(port);
    }

    @Override
    public void close() {
        database.close();
    }
}
