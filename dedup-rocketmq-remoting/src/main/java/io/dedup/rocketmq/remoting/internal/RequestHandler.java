package io.dedup.rocketmq.remoting.internal;

import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.apache.rocketmq.common.message.MessageExt;
import org.jspecify.annotations.Nullable;

/**
 * The user's listener of requests, and what it asks for after a failure.
 *
 * @param delayLevel of the next attempt, where no order is kept
 * @param suspendMillis how long a queue is suspended, where order is kept
 */
public record RequestHandler(Call listener, IntSupplier delayLevel, LongSupplier suspendMillis) {
    /** The user's listener. */
    @FunctionalInterface
    public interface Call {
        /**
         * Handles one request, and returns the body of the reply; null for none.
         *
         * @throws Exception when the effect hasn't happened
         */
        byte @Nullable [] reply(MessageExt request) throws Exception;
    }
}
