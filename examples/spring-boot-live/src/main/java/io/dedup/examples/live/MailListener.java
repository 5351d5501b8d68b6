package io.dedup.examples.live;

import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.messaging.handler.annotation.Header;

/**
 * Sends mails, which is slow and cannot be rolled back. A kill in the middle leaves a lease behind: the redelivered message waits
 * until the lease expires, and is then handled.
 */
final class MailListener extends ReplayableListener {
    private final JdbcTemplate jdbc;
    private final Duration takes;

    MailListener(JdbcTemplate jdbc, OutcomePrinter printer, @Value("${live.mail-takes:2s}") Duration takes) {
        super(Topics.MAILS_WITH_DEDUP, printer);
        this.jdbc = jdbc;
        this.takes = takes;
    }

    @KafkaListener(id = "mails", idIsGroup = false, topics = Topics.MAILS, properties = "group.instance.id=live-mails")
    void send(ConsumerRecord<String, String> order, @Header(Topics.ID_HEADER) byte[] id) throws InterruptedException {
        Thread.sleep(takes.toMillis());
        Effects.write(jdbc, "mail", order, id);
    }
}
