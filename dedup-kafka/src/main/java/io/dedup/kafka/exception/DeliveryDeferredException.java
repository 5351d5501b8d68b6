package io.dedup.kafka.exception;

import io.dedup.DedupException;
import io.dedup.DedupOutcome.DeferReason;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A record must come again, and isn't acked: its message is in flight elsewhere, the store doesn't answer, or its lease
 * was lost. Not a failure: interceptors and observers may see it, error handlers and recoverers don't.
 */
public final class DeliveryDeferredException extends DedupException {
    private static final long serialVersionUID = 1L;

    private final DeferReason reason;
    private final Duration retryAfter;
    private final boolean pause;
    private final transient ConsumerRecord<?, ?> deferred;
    private final transient ConsumerRecord<?, ?> resumeAt;

    /**
     * A deferral.
     *
     * @param deferred the record that can't be decided now
     * @param resumeAt the first record of the poll that isn't finished: the deferred one, or an earlier one that waits
     *     for its acknowledgment
     */
    public DeliveryDeferredException(
            DeferReason reason,
            Duration retryAfter,
            boolean pause,
            ConsumerRecord<?, ?> deferred,
            ConsumerRecord<?, ?> resumeAt,
            @Nullable Throwable cause) {
        super(
                "deferred " + deferred.topic() + "-" + deferred.partition() + "@" + deferred.offset() + " for "
                        + retryAfter.toMillis() + " ms: " + reason,
                cause);
        this.reason = reason;
        this.retryAfter = retryAfter;
        this.pause = pause;
        this.deferred = deferred;
        this.resumeAt = resumeAt;
    }

    public DeferReason reason() {
        return reason;
    }

    /** After which delay the record is tried again. */
    public Duration retryAfter() {
        return retryAfter;
    }

    public boolean pause() {
        return pause;
    }

    public TopicPartition partition() {
        return new TopicPartition(deferred.topic(), deferred.partition());
    }

    /** Whether a record of the poll is the first that isn't finished. */
    public boolean resumesAt(ConsumerRecord<?, ?> record) {
        return record.offset() == resumeAt.offset()
                && record.partition() == resumeAt.partition()
                && record.topic().equals(resumeAt.topic());
    }
}
