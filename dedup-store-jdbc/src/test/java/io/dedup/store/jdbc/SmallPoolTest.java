package io.dedup.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupKey;
import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.jdbc.support.Session;
import io.dedup.store.jdbc.support.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Pools with fewer connections than the store would like: everything takes its turn, and nothing waits for itself. */
class SmallPoolTest {
    private static final int THREADS = 4;
    private static final int MESSAGES = 12;

    @ParameterizedTest(name = "{0}, {1} connection(s)")
    @CsvSource({
        "LEASED, 1",
        "LEASED, 2",
        "TRANSACTIONAL, 1",
        "TRANSACTIONAL, 2",
        "LEASED_TRANSACTIONAL, 1",
        "LEASED_TRANSACTIONAL, 2"
    })
    @DisplayName(
            "four threads handle messages and their copies, with the heartbeat and the purge beside them: each effect"
                    + " once")
    void threadsAndOneConnection(DedupMode mode, int connections) {
        try (TestDatabase database = TestDatabase.open(JdbcDialect.POSTGRESQL)) {
            database.execute("CREATE TABLE effect (id varchar(100) NOT NULL)");
            HikariDataSource pool = database.pool(config -> {
                config.setMaximumPoolSize(connections);
                config.setConnectionTimeout(1_000);
            });
            JdbcDedupStore store = database.closing(
                    database.builder(pool).purgeInterval(Duration.ofMillis(100)).build());
            JdbcTemplate business = new JdbcTemplate(pool);
            DedupPolicy policy = DedupPolicy.builder()
                    .mode(mode)
                    .lease(Duration.ofSeconds(3))
                    .inFlightWait(Duration.ofMillis(50))
                    .build();
            try (Deduplicator dedup = Deduplicators.builder(store)
                    .consumer("small")
                    .defaults(policy)
                    .transactions(store.transactions(new JdbcTransactionManager(pool)))
                    .build()) {
                handleAll(dedup, business);
            }
            assertThat(database.count("SELECT count(*) FROM effect")).isEqualTo(MESSAGES);
            assertThat(database.count("SELECT count(DISTINCT id) FROM effect")).isEqualTo(MESSAGES);
            await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0); // the purge ends its batch
        }
    }

    @Test
    @DisplayName(
            "a handler that holds the only connection for longer than its lease is told, and commits if nobody else"
                    + " took over")
    void longerThanTheLease() {
        try (TestDatabase database = TestDatabase.open(JdbcDialect.POSTGRESQL)) {
            database.execute("CREATE TABLE effect (id varchar(100) NOT NULL)");
            HikariDataSource pool = database.pool(config -> {
                config.setMaximumPoolSize(1);
                config.setConnectionTimeout(500);
            });
            JdbcDedupStore store = database.closing(database.builder(pool).build());
            JdbcTemplate business = new JdbcTemplate(pool);
            DedupPolicy policy = DedupPolicy.builder()
                    .mode(DedupMode.LEASED_TRANSACTIONAL)
                    .lease(Duration.ofSeconds(1))
                    .build();
            try (Deduplicator dedup = Deduplicators.builder(store)
                    .consumer("small")
                    .defaults(policy)
                    .transactions(store.transactions(new JdbcTransactionManager(pool)))
                    .build()) {
                DedupKey key = dedup.key("orders", "order-1");
                DedupOutcome<Integer> outcome = dedup.execute(key, context -> {
                    await().until(context::leaseLost); // it cannot be renewed
                    return business.update("INSERT INTO effect VALUES (?)", key.messageId());
                });

                assertThat(outcome).isInstanceOf(DedupOutcome.Handled.class);
            }
            assertThat(database.count("SELECT count(*) FROM effect")).isEqualTo(1);
        }
    }

    private static void handleAll(Deduplicator dedup, JdbcTemplate business) {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<Integer>> running = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                running.add(threads.submit(() -> {
                    int handled = 0;
                    for (int i = 0; i < MESSAGES; i++) {
                        handled += handle(dedup, dedup.key("orders", "order-" + i), business);
                    }
                    return handled;
                }));
            }
            assertThat(running.stream().mapToInt(Session::get).sum()).isEqualTo(MESSAGES);
        } finally {
            threads.shutdown();
        }
    }

    /** As a broker does: delivers it until it is handled, here or elsewhere. */
    private static int handle(Deduplicator dedup, DedupKey key, JdbcTemplate business) {
        while (true) {
            DedupOutcome<Integer> outcome =
                    dedup.execute(key, context -> business.update("INSERT INTO effect VALUES (?)", key.messageId()));
            if (outcome instanceof DedupOutcome.Handled) {
                return 1;
            }
            if (outcome instanceof DedupOutcome.Duplicate) {
                return 0;
            }
            assertThat(outcome).isInstanceOf(DedupOutcome.Deferred.class);
        }
    }
}
