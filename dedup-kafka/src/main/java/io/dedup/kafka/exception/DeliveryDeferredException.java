package io.dedup.kafka.exception;

import io.dedup.DedupException;
import io.dedup.DedupOutcome.DeferReason;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A record is deferred: it isn't acknowledged and is delivered again later, because its message is in flight elsewhere,
 * the store doesn't answer, or its lease was lost. This isn't a failure. Interceptors and observations may see this
 * exception; error handlers and recoverers don't.
 */
public final class DeliveryDeferredException extends DedupException {
    private static final long serialVersionUID = 1L;

    private final DeferReason reason;
    private final Duration retryAfter;
    private final boolean pause;
    private final transient ConsumerRecord<?, ?> deferred;
    private final transient ConsumerRecord<?, ?> resumeAt;

    /**
     * Creates a deferral.
     *
     * @param retryAfter the delay before the next delivery
     * @param pause whether the policy asks to pause the consumer until the store answers
     * @param deferred the record that cannot be handled now
     * @param resumeAt the first unfinished record of the poll: the deferred one, or an earlier one that isn't
     *     acknowledged yet
     * @param cause null if nothing was thrown
     */
    public DeliveryDeferredException(
            DeferReason reason,
            Duration retryAfter,
            boolean pause,
            ConsumerRecord<?, ?> deferred,
            ConsumerRecord<?, ?> resumeAt,
            @Nullable Throwable cause) {
        super(
                "Deferred " + deferred.topic() + "-" + deferred.partition() + "@" + deferred.offset() + " for "
                        + retryAfter.toMillis() + " ms: " + reason,
                cause);
        this.reason = reason;
        this.retryAfter = retryAfter;
        this.pause = pause;
        this.deferred = deferred;
        this.resumeAt = resumeAt;
    }

    /** Returns why the record is deferred. */
    public DeferReason reason() {
        return reason;
    }

    /** Returns the delay before the record is delivered again. */
    public Duration retryAfter() {
        return retryAfter;
    }

    /** Returns whether the policy asks to pause the consumer until the store answers. */
    public boolean pause() {
        return pause;
    }

    /** Returns the record that cannot be handled now. */
    public ConsumerRecord<?, ?> record() {
        return deferred;
    }

    /** Returns the partition of the deferred record. */
    public TopicPartition partition() {
        return new TopicPartition(deferred.topic(), deferred.partition());
    }

    /** Returns whether the given record is the poll's first unfinished one. */
    public boolean resumesAt(ConsumerRecord<?, ?> record) {
        return record.offset() == resumeAt.offset()
                && record.partition() == resumeAt.partition()
                && record.topic().equals(resumeAt.topic());
    }
}
