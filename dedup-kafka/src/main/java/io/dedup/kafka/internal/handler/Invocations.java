package io.dedup.kafka.internal.handler;

import io.dedup.DedupContext;
import io.dedup.kafka.internal.reply.Replies;
import io.dedup.kafka.internal.reply.ReplyExchange;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * What the calls of handler methods that run now are about. A call is found by the record that it is given, whatever thread
 * it runs on. Thread-safe.
 */
public final class Invocations {
    /**
     * A call.
     *
     * @param end takes what the method returned when that is done later, and gives what ends when the store was told; null
     *     where the call itself must wait for it
     */
    public record Invocation(DedupContext context, @Nullable UnaryOperator<CompletableFuture<?>> end) {}

    private final Map<ConsumerRecord<?, ?>, Invocation> running =
            new ConcurrentHashMap<>(); // records are their own keys

    private final @Nullable Replies replies;

    /** @param replies of the requests that are answered; null where none are */
    public Invocations(@Nullable Replies replies) {
        this.replies = replies;
    }

    /** The request with these arguments, or null when its reply isn't kept. */
    @Nullable
    ReplyExchange reply(@Nullable Object[] arguments) {
        return replies == null ? null : replies.about(arguments);
    }

    /** Of the listener that this thread calls; null when its reply isn't kept. */
    @Nullable
    ReplyExchange replying() {
        return replies == null ? null : replies.running();
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
