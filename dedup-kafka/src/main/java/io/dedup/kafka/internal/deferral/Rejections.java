package io.dedup.kafka.internal.deferral;

import io.dedup.DedupException;
import io.dedup.MissingMessageIdException;
import io.dedup.PayloadConflictException;
import io.dedup.PoisonMessageException;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.spring.FailureHandlers;
import io.dedup.text.Causes;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.support.KafkaUtils;

/**
 * Says in the log where a rejected record goes: to the recoverer of the container's error handler, or nowhere. Writes at
 * most one line in ten seconds, because a problem usually affects every record. Thread-safe.
 */
final class Rejections {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Object handler;
    private final AtomicLong due = new AtomicLong(System.nanoTime());

    /** @param handler the container's own error handler or rollback processor */
    Rejections(Object handler) {
        this.handler = handler;
    }

    /**
     * Called before the handler is.
     *
     * @param first the record that has failed, if the exception names none; null for a batch
     */
    void passedOn(Exception thrown, @Nullable ConsumerRecord<?, ?> first) {
        String reason = reason(thrown);
        long now = System.nanoTime();
        long at = due.get();
        if (reason == null || now - at < 0 || !due.compareAndSet(at, now + QUIET_NANOS)) {
            return;
        }
        String name = handler.getClass().getSimpleName();
        RecordFailedException named = RecordFailedException.in(thrown);
        ConsumerRecord<?, ?> record = named == null ? first : named.getRecord();
        String what = record == null ? "A record" : "Record " + KafkaUtils.format(record);
        if (FailureHandlers.onlyLogs(handler)) {
            log.error(
                    "{} is rejected ({}) and gone: {} has no recoverer, and only logs the records that it gives up on. To"
                            + " keep them, give it a DeadLetterPublishingRecoverer",
                    what,
                    reason,
                    name);
        } else {
            log.warn("{} is rejected ({}), and passed to {}", what, reason, name);
        }
    }

    private static @Nullable String reason(Exception thrown) {
        DedupException found = Causes.first(thrown, DedupException.class);
        return found instanceof MissingMessageIdException
                ? "no usable message ID"
                : found instanceof PayloadConflictException
                        ? "another payload under its message ID"
                        : found instanceof PoisonMessageException ? "its runs crashed" : null;
    }
}
