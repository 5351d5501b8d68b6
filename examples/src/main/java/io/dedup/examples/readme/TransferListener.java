package io.dedup.examples.readme;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.policy.DedupMode;
import io.dedup.policy.Window;
import io.dedup.store.jdbc.JdbcDedupStore;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.transaction.PlatformTransactionManager;

/** The README's sample of a transactional mode. */
@Configuration
@EnableKafka
public class TransferListener {
    private final Accounts accounts;

    TransferListener(Accounts accounts) {
        this.accounts = accounts;
    }

    @Bean
    JdbcDedupStore table(DataSource dataSource) {
        return JdbcDedupStore.builder(dataSource).build();
    }

    @Bean
    Deduplicator ledger(JdbcDedupStore table, PlatformTransactionManager transactions) {
        return Deduplicators.builder(table)
                .transactions(table.transactions(transactions))
                .consumer("ledger")
                .topic(
                        "transfers",
                        policy -> policy.mode(DedupMode.TRANSACTIONAL).window(Window.forever()))
                .build();
    }

    @Bean
    KafkaDedup ledgerDedup(Deduplicator ledger) {
        return KafkaDedup.builder(ledger)
                .id(KafkaMessageIds.header("transfer-id"))
                .build();
    }

    @Bean
    ConcurrentKafkaListenerContainerFactory<String, Transfer> ledgerContainers(
            ConsumerFactory<String, Transfer> consumers, KafkaDedup ledgerDedup) {
        var factory = new ConcurrentKafkaListenerContainerFactory<String, Transfer>();
        factory.setConsumerFactory(consumers);
        factory.setContainerCustomizer(ledgerDedup.customizer());
        return factory;
    }

    @KafkaListener(topics = "transfers", groupId = "ledger", containerFactory = "ledgerContainers")
    void book(Transfer transfer) { // in a transaction with its record; @Transactional, JdbcTemplate and JPA join it
        accounts.move(transfer.from(), transfer.to(), transfer.amount());
    }

    /** A message. */
    record Transfer(String from, String to, long amount) {}

    /** In the same database as the records. */
    interface Accounts {
        void move(String from, String to, long amount);
    }
}
