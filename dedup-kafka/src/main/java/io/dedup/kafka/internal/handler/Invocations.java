package io.dedup.kafka.internal.handler;

import io.dedup.DedupContext;
import io.dedup.kafka.internal.reply.ReplyExchange;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * What the calls of handler methods that run now are about. A call is found by the record that it is given, whatever thread
 * it runs on. Thread-safe.
 */
public final class Invocations {
    /** A call. */
    @FunctionalInterface
    public interface Invocation {
        /** What the handler may ask about its run. */
        DedupContext context();

        /** The reply that is kept of it; null when none is. */
        default @Nullable ReplyExchange reply() {
            return null;
        }

        /** Whether the listener was called on the thread that asks. */
        default boolean isOnThisThread() {
            return false;
        }

        /** Whether its run ends with a future that the method returns; else the call itself must wait for it. */
        default boolean mayEndLater() {
            return false;
        }

        /** The run ends with this, which the method returned; returns what ends when the store was told. */
        default CompletableFuture<?> endsWith(CompletableFuture<?> work) {
            return work;
        }
    }

    private final Map<ConsumerRecord<?, ?>, Invocation> running =
            new ConcurrentHashMap<>(); // records are their own keys

    /** The request with these arguments, or null when its reply isn't kept. */
    @Nullable
    ReplyExchange reply(@Nullable Object[] arguments) {
        Invocation invocation = of(arguments);
        return invocation == null ? null : invocation.reply();
    }

    /** Of the listener that this thread calls; null when its reply isn't kept. */
    public @Nullable ReplyExchange replying() {
        for (Invocation each : running.values()) { // as many as the container has consumers
            ReplyExchange reply = each.reply();
            if (reply != null && each.isOnThisThread()) {
                return reply;
            }
        }
        return null;
    }

    public void begin(ConsumerRecord<?, ?> record, Invocation invocation) {
        running.put(record, invocation);
    }

    public void end(ConsumerRecord<?, ?> record) {
        running.remove(record);
    }

    /** The call with these arguments, or null: of a batch, or of a listener that isn't decorated. */
    @Nullable
    Invocation of(@Nullable Object[] arguments) {
        for (Object argument : arguments) {
            if (argument instanceof ConsumerRecord<?, ?> record) {
                return running.get(record);
            }
        }
        return null;
    }
}
