package io.dedup.kafka.internal.deferral;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.record.RecordDeliveries;
import io.dedup.text.Causes;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Creates the exceptions that defer records, and finds them in the exceptions that a container passes on. */
public final class Deferrals {
    private static final Duration UNTIL_BELOW_IS_FINISHED = Duration.ofMillis(50);

    private final RecordDeliveries deliveries;

    public Deferrals(RecordDeliveries deliveries) {
        this.deliveries = deliveries;
    }

    /** Defers a record for the longest delay of its topic's policy. */
    public DeliveryDeferredException of(DeferReason reason, ConsumerRecord<?, ?> record, @Nullable Throwable cause) {
        return of(reason, longestDelay(record), record, cause);
    }

    /** Defers a record for this delay. */
    public static DeliveryDeferredException of(
            DeferReason reason, Duration retryAfter, ConsumerRecord<?, ?> record, @Nullable Throwable cause) {
        return new DeliveryDeferredException(reason, retryAfter, false, record, record, cause);
    }

    /** The deferral of a record that the engine has deferred. */
    public static DeliveryDeferredException of(Admission.Defer defer, ConsumerRecord<?, ?> record) {
        return new DeliveryDeferredException(
                defer.reason(), defer.retryAfter(), defer.pause(), record, record, defer.cause());
    }

    /** Defers a failed record, because recovering it would commit its offset, and a record below it is unfinished. */
    static DeliveryDeferredException untilBelowIsFinished(ConsumerRecord<?, ?> record, Throwable failure) {
        return of(DeferReason.IN_FLIGHT, UNTIL_BELOW_IS_FINISHED, record, failure);
    }

    public Duration longestDelay(ConsumerRecord<?, ?> record) {
        return deliveries.topic(record.topic()).policy().maxDeferDelay();
    }

    /** Returns the deferral among an exception and its causes; null if there is none. */
    public static @Nullable DeliveryDeferredException in(@Nullable Throwable thrown) {
        return Causes.first(thrown, DeliveryDeferredException.class);
    }
}
