package io.dedup.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** What docs/operations.md says about windows when the mode of a topic changes, or the store. */
class ModeChangeTest {
    /** As {@code dedup.store}. */
    enum Store {
        JDBC,
        REDIS,
        TIERED
    }

    @ParameterizedTest(name = "{0} {1} to {2} {3}: kept {4}")
    @CsvSource({
        // One table: every mode reads the records of the others.
        "JDBC, LEASED, JDBC, TRANSACTIONAL, true",
        "JDBC, LEASED, JDBC, LEASED_TRANSACTIONAL, true",
        "JDBC, TRANSACTIONAL, JDBC, LEASED, true",
        "JDBC, TRANSACTIONAL, JDBC, LEASED_TRANSACTIONAL, true",
        "JDBC, LEASED_TRANSACTIONAL, JDBC, LEASED, true",
        "JDBC, LEASED_TRANSACTIONAL, JDBC, TRANSACTIONAL, true",
        // The table, with Redis in front from now on, or no longer.
        "JDBC, LEASED, TIERED, TIERED, true",
        "JDBC, TRANSACTIONAL, TIERED, TIERED, true",
        "JDBC, LEASED_TRANSACTIONAL, TIERED, TIERED, true",
        "TIERED, TIERED, JDBC, LEASED, true",
        "TIERED, TIERED, JDBC, TRANSACTIONAL, true",
        "TIERED, TIERED, JDBC, LEASED_TRANSACTIONAL, true",
        // Redis has what tiered has written there.
        "REDIS, LEASED, TIERED, TIERED, true",
        "TIERED, TIERED, REDIS, LEASED, true",
        // With store redis or tiered, leased is in Redis and transactional in the table.
        "REDIS, LEASED, REDIS, TRANSACTIONAL, false",
        "REDIS, TRANSACTIONAL, REDIS, LEASED, false",
        "TIERED, LEASED, TIERED, TRANSACTIONAL, false",
        "TIERED, TRANSACTIONAL, TIERED, LEASED, false",
        "TIERED, TRANSACTIONAL, TIERED, TIERED, true",
        "TIERED, TIERED, TIERED, TRANSACTIONAL, true",
        // From one place to the other.
        "JDBC, LEASED, REDIS, LEASED, false",
        "REDIS, LEASED, JDBC, LEASED, false"
    })
    @DisplayName("a change of mode or store keeps windows where the new one looks in the place where the records are")
    void change(Store fromStore, DedupMode from, Store toStore, DedupMode to, boolean kept) {
        SqlDatabase database = PostgresServers.newDatabase();
        String namespace = "change-" + UUID.randomUUID();
        assertThat(handle(database, namespace, fromStore, from)).isInstanceOf(DedupOutcome.Handled.class);
        assertThat(handle(database, namespace, fromStore, from)).isInstanceOf(DedupOutcome.Duplicate.class);
        assertThat(handle(database, namespace, toStore, to))
                .isInstanceOf(kept ? DedupOutcome.Duplicate.class : DedupOutcome.Handled.class);
    }

    private static DedupOutcome<String> handle(SqlDatabase database, String namespace, Store where, DedupMode mode) {
        DataSource dataSource = new DriverManagerDataSource(database.jdbcUrl(), database.user(), database.password());
        try (JdbcDedupStore table = JdbcDedupStore.builder(dataSource)
                        .initializeSchema(InitializeSchema.ALWAYS)
                        .purgeInterval(null)
                        .build();
                DedupStore redis = RedisDedupStore.builder()
                        .commandTimeout(Duration.ofSeconds(20))
                        .uri(RedisServers.shared().uri())
                        .namespace(namespace)
                        .build()) {
            DeduplicatorBuilder builder = Deduplicators.builder(where == Store.JDBC ? table : redis)
                    .consumer("billing")
                    .defaults(DedupPolicy.builder().mode(mode).build());
            if (mode.isTransactional()) {
                builder.transactions(table.transactions(new JdbcTransactionManager(dataSource)));
            }
            try (Deduplicator deduplicator = builder.build()) {
                return deduplicator.execute(deduplicator.key("orders", "a"), context -> "done");
            }
        }
    }
}
