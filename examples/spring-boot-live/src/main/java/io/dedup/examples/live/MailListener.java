package io.dedup.examples.live;

import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.messaging.handler.annotation.Header;

/**
 * Sends mails, slowly; a mail can't be rolled back. A kill while it works leaves a lease behind. The message is redelivered,
 * waits until the lease has expired, and is handled.
 */
final class MailListener extends ReplayableListener {
    private final JdbcTemplate jdbc;
    private final Duration takes;

    MailListener(JdbcTemplate jdbc, OutcomePrinter printer, @Value("${live.mail-takes:1s}") Duration takes) {
        super(Topics.MAILS, printer);
        this.jdbc = jdbc;
        this.takes = takes;
    }

    @KafkaListener(id = "mails", idIsGroup = false, topics = Topics.MAILS, properties = "group.instance.id=live-mails")
    void send(ConsumerRecord<String, String> order, @Header(Topics.ID_HEADER) byte[] id) throws InterruptedException {
        Thread.sleep(takes.toMillis());
        Effects.write(jdbc, order, id);
    }
}
