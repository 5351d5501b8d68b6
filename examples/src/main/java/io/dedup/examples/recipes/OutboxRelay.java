package io.dedup.examples.recipes;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;

/** docs/recipes/outbox.md: sends what handlers have written into the outbox. */
// docs:begin
@Component
class OutboxRelay {
    record Row(long id, String messageId, String topic, String payload) {}

    private final JdbcTemplate jdbc;
    private final TransactionOperations transactions;
    private final KafkaOperations<String, String> kafka;

    OutboxRelay(JdbcTemplate jdbc, TransactionOperations transactions, KafkaOperations<String, String> kafka) {
        if (kafka.isTransactional()) { // it would commit after the rows are deleted, and could fail then
            throw new IllegalArgumentException("The relay needs a KafkaTemplate without a transaction ID prefix");
        }
        this.jdbc = jdbc;
        this.transactions = transactions;
        this.kafka = kafka;
    }

    @Scheduled(fixedDelay = 500)
    void publish() {
        transactions.executeWithoutResult(transaction -> {
            List<Row> rows = jdbc.query(
                    "SELECT id, message_id, topic, payload FROM outbox ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED",
                    (row, number) -> new Row(row.getLong(1), row.getString(2), row.getString(3), row.getString(4)));
            List<CompletableFuture<?>> sent = new ArrayList<>();
            for (Row row : rows) {
                ProducerRecord<String, String> message = new ProducerRecord<>(row.topic(), row.payload());
                message.headers().add("message-id", row.messageId().getBytes(StandardCharsets.UTF_8));
                sent.add(kafka.send(message));
            }
            sent.forEach(CompletableFuture::join); // fails unless the broker has them: then the rows stay
            rows.forEach(row -> jdbc.update("DELETE FROM outbox WHERE id = ?", row.id()));
        });
    }
}
// docs:end
