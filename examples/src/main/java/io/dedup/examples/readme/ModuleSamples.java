package io.dedup.examples.readme;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.KafkaDedupInstaller;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.policy.DedupMode;
import io.dedup.rocketmq.RocketMqDedup;
import io.dedup.rocketmq.RocketMqMessageIds;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcKeyFormat;
import io.dedup.store.jdbc.JdbcTransactions;
import io.dedup.store.redis.RedisDedupStore;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.PlatformTransactionManager;

/** What the READMEs of the modules show first: it is compiled here, and not run. */
final class ModuleSamples {
    private ModuleSamples() {}

    static KafkaDedup kafka(DedupStore store) {
        // docs:begin kafka
        Deduplicator dedup = Deduplicators.builder(store)
                .consumer("orders-app") // listeners with this name share windows; usually the group
                .topic("orders", policy -> policy.window(Duration.ofDays(7)))
                .build();
        KafkaDedup kafka = KafkaDedup.builder(dedup)
                .id(KafkaMessageIds.header("order-id")) // for all topics
                .id("payments", KafkaMessageIds.json("/payment/id")) // for one topic
                .build();
        // docs:end
        return kafka;
    }

    // docs:begin installer
    @Bean
    static KafkaDedupInstaller dedupInstaller(ObjectProvider<KafkaDedup> kafka) {
        return KafkaDedupInstaller.ofAll(kafka::getObject); // or new KafkaDedupInstaller((container, method) -> ...)
    }
    // docs:end

    static RocketMqDedup rocketMq(DedupStore store) {
        // docs:begin rocketmq
        Deduplicator dedup = Deduplicators.builder(store)
                .consumer("payments") // consumers of one name share windows; usually the group
                .topic("orders", policy -> policy.window(Duration.ofDays(7)))
                .build();
        RocketMqDedup rocket = RocketMqDedup.builder(dedup)
                .id(RocketMqMessageIds.property("order-id")) // for all topics
                .id("payments", RocketMqMessageIds.json("/payment/id")) // for one topic
                .build();
        // docs:end
        return rocket;
    }

    static Deduplicator rocketMqTransactions(DataSource dataSource, PlatformTransactionManager transactionManager) {
        // docs:begin rocketmq-transactions
        JdbcDedupStore table = JdbcDedupStore.builder(dataSource).build();
        Deduplicator dedup = Deduplicators.builder(table) // TIERED: a RedisDedupStore here
                .transactions(table.transactions(transactionManager))
                .consumer("payments")
                .topic("orders", policy -> policy.mode(DedupMode.TRANSACTIONAL))
                .build();
        // docs:end
        return dedup;
    }

    static Deduplicator jdbc(DataSource dataSource) {
        // docs:begin jdbc
        JdbcDedupStore store = JdbcDedupStore.builder(dataSource) // a pool; you close it
                .table("dedup_record") // the default
                .attemptRetention(Duration.ofDays(7)) // the default
                .build(); // checks server and table
        Deduplicator dedup = Deduplicators.builder(store)
                .consumer("orders-app")
                .topic("orders", policy -> policy.window(Duration.ofDays(7)))
                .build();
        // docs:end
        return dedup;
    }

    static Deduplicator jdbcTransactions(JdbcDedupStore store, PlatformTransactionManager transactionManager) {
        // docs:begin jdbc-transactions
        // opens one transaction to check it, the server and the pool
        JdbcTransactions records = store.transactions(transactionManager);
        Deduplicator dedup = Deduplicators.builder(store)
                .transactions(records)
                .consumer("ledger")
                .topic("transfers", policy -> policy.mode(DedupMode.TRANSACTIONAL))
                .build();
        // docs:end
        return dedup;
    }

    static JdbcDedupStore jdbcDigest(DataSource dataSource) {
        // docs:begin jdbc-digest
        JdbcDedupStore store = JdbcDedupStore.builder(dataSource)
                .keyFormat(JdbcKeyFormat.DIGEST) // with the starter: dedup.jdbc.key-format: digest
                .build();
        // docs:end
        return store;
    }

    static Deduplicator redis() {
        // docs:begin redis
        RedisDedupStore store = RedisDedupStore.builder()
                .uri("redis://user:password@host:6379/0") // rediss:// for TLS
                .build();
        Deduplicator dedup = Deduplicators.builder(store).consumer("orders-app").build();
        // docs:end
        return dedup;
    }

    static RedisDedupStore redisPacked() {
        // docs:begin redis-packed
        RedisDedupStore store = RedisDedupStore.builder()
                .uri("redis://host:6379/0")
                .packed(10_000_000) // IDs a day × days of the window
                .build();
        // docs:end
        return store;
    }
}
