package io.dedup.examples.readme;

import io.dedup.DedupMode;
import io.dedup.Deduplicator;
import io.dedup.Window;
import io.dedup.store.jdbc.JdbcDedupStore;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.transaction.PlatformTransactionManager;

/** The README's sample of a transactional mode; what is between the markers stands there, and a test compares them. */
@Configuration
@EnableKafka
public class TransferListener {
    private final Accounts accounts;

    TransferListener(Accounts accounts) {
        this.accounts = accounts;
    }

    // readme:begin
    @Bean
    Deduplicator ledger(DataSource dataSource, PlatformTransactionManager transactions) {
        JdbcDedupStore table = JdbcDedupStore.builder(dataSource).build();
        return Deduplicator.builder(table)
                .transactions(table.transactions(transactions))
                .consumer("ledger")
                .topic(
                        "transfers",
                        policy -> policy.mode(DedupMode.TRANSACTIONAL).window(Window.forever()))
                .build();
    }

    @KafkaListener(topics = "transfers", groupId = "ledger")
    void book(Transfer transfer) { // in a transaction with its record; @Transactional, JdbcTemplate and JPA join it
        accounts.move(transfer.from(), transfer.to(), transfer.amount());
    }
    // readme:end

    /** A message. */
    record Transfer(String from, String to, long amount) {}

    /** In the same database as the records. */
    interface Accounts {
        void move(String from, String to, long amount);
    }
}
