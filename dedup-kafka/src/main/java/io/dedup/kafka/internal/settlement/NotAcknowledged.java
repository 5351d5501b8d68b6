package io.dedup.kafka.internal.settlement;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.deferral.Deferrals;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What becomes of a record whose handler has returned without acknowledging it, where its transaction can't wait. */
public final class NotAcknowledged {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private NotAcknowledged() {}

    /** To be thrown: the record is deferred, with a warning unless the handler has given it back. */
    public static RuntimeException comesAgain(
            ConsumerRecord<?, ?> record, NotAcknowledgedException open, Deferrals deferrals, BoundConsumer bound) {
        if (!open.isNack()) {
            log.warn(
                    "topic {}, partition {}, offset {}: {}",
                    record.topic(),
                    record.partition(),
                    record.offset(),
                    open.getMessage());
        }
        return bound.deferred()
                .throwing(
                        Deferrals.of(DeferReason.ROLLED_BACK, open.sleep(deferrals.longestDelay(record)), record, open),
                        record);
    }
}
