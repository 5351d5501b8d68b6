package io.dedup.kafka.clients.internal.turn;

import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * What happens to records whose handler fails.
 *
 * @param first the delay before the second attempt; it doubles with each
 * @param attempts how many there are before the record is given up; no limit if {@code giveUp} is null
 */
public record Retries(
        Duration first,
        Duration longest,
        int attempts,
        @Nullable Taker giveUp) {
    /** Takes a record that isn't handled. */
    @FunctionalInterface
    public interface Taker {
        void take(ConsumerRecord<?, ?> record, Exception cause) throws Exception;
    }
}
