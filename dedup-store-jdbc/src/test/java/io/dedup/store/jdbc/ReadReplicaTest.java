package io.dedup.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupStoreException;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.Session;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordResult;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import io.dedup.testservers.sql.SqlPair;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A primary with a hot standby, and a data source that sends read-only transactions to the standby, as applications do. */
class ReadReplicaTest {
    private final Messages messages = new Messages();

    private static HikariDataSource pool(SqlDatabase database, String url) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setUsername(database.user());
        pool.setPassword(database.password());
        pool.setMinimumIdle(0);
        return pool;
    }

    private static AbstractRoutingDataSource routing(HikariDataSource primary, HikariDataSource replica) {
        AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
            @Override
            protected Object determineCurrentLookupKey() {
                return TransactionSynchronizationManager.isCurrentTransactionReadOnly() ? "replica" : "primary";
            }
        };
        routing.setTargetDataSources(Map.of("primary", primary, "replica", replica));
        routing.setDefaultTargetDataSource(primary);
        routing.afterPropertiesSet();
        return routing;
    }

    @Test
    @DisplayName(
            "claims and records go to the primary; where a caller's read-only transaction leads to the replica, the failure"
                    + " says what to change; and so does a start on the replica")
    void routed() {
        try (SqlPair pair = PostgresServers.startPair(false);
                SqlDatabase database = pair.primary().newDatabase();
                HikariDataSource primary = pool(database, database.jdbcUrl());
                HikariDataSource replica = pool(database, database.jdbcUrlThrough(pair.replicaPort()))) {
            AbstractRoutingDataSource routing = routing(primary, replica);
            try (JdbcDedupStore store = JdbcDedupStore.builder(routing)
                    .initializeSchema(InitializeSchema.ALWAYS)
                    .purgeInterval(null)
                    .build()) {
                DataSourceTransactionManager manager = new DataSourceTransactionManager(routing);
                Messages.done(store, messages.key());
                try (Session handler = new Session(store.transactions(manager))) {
                    assertThat(handler.claim(messages.key())).isInstanceOf(RecordResult.Written.class);
                    assertThat(handler.commit()).isEqualTo(new CommitResult.Committed());
                }

                await().ignoreExceptions().until(() -> {
                    replica.getConnection().close();
                    return true;
                });
                TransactionTemplate readOnly = new TransactionTemplate(manager);
                readOnly.setReadOnly(true);
                assertThatThrownBy(() -> readOnly.executeWithoutResult(status -> Messages.done(store, messages.key())))
                        .isInstanceOf(DedupStoreException.class)
                        .hasMessageContaining("the store must write")
                        .hasMessageContaining("routes read-only transactions to a replica");
            }
            assertThatThrownBy(JdbcDedupStore.builder(replica).initializeSchema(InitializeSchema.NEVER)::build)
                    .hasMessageContaining("point the JDBC URL to the primary server");
        }
    }
}
