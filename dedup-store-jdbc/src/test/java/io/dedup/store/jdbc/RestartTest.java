package io.dedup.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.testservers.sql.MariaDbServer;
import io.dedup.testservers.sql.MariaDbServers;
import io.dedup.testservers.sql.PostgresServer;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A server that is killed, comes back, and has what was committed. */
class RestartTest {
    private final Messages messages = new Messages();

    @Test
    @DisplayName("PostgreSQL: calls fail while it is down; afterwards claims and records are as they were")
    void postgres() {
        try (PostgresServer server = PostgresServers.start()) {
            killAndStart(server.newDatabase(), server::kill, server::start);
        }
    }

    @Test
    @DisplayName("MariaDB: calls fail while it is down; afterwards claims and records are as they were")
    void mariaDb() {
        try (MariaDbServer server = MariaDbServers.start()) {
            killAndStart(server.newDatabase(), server::kill, server::start);
        }
    }

    private void killAndStart(SqlDatabase database, Runnable kill, Runnable start) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(database.user());
        config.setPassword(database.password());
        config.setConnectionTimeout(Duration.ofSeconds(2).toMillis());
        try (HikariDataSource pool = new HikariDataSource(config);
                JdbcDedupStore store = JdbcDedupStore.builder(pool)
                        .purgeInterval(null)
                        .initializeSchema(InitializeSchema.ALWAYS)
                        .build()) {
            ClaimRequest held = Messages.acquire(store, messages.key());
            assertThat(store.renew(List.of(Messages.renew(held)))).containsOnly(WriteResult.applied());

            kill.run();
            assertThatThrownBy(() -> Messages.only(store.claim(List.of(Messages.claim(messages.key())))))
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("check the server");
            assertThat(store.renew(List.of(Messages.renew(held)))).hasOnlyElementsOfType(WriteResult.StoreError.class);
            assertThatThrownBy(JdbcDedupStore.builder(pool)::build)
                    .as("a start meanwhile")
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("start on table dedup_record failed");

            start.run();
            await().ignoreExceptionsInstanceOf(DedupStoreException.class)
                    .untilAsserted(() -> Messages.done(store, messages.key()));
            assertThat(store.renew(List.of(Messages.renew(held)))).containsOnly(WriteResult.applied());
            assertThat(Messages.only(store.complete(List.of(Messages.complete(held)))))
                    .isEqualTo(WriteResult.applied());
        }
    }
}
