package io.dedup.kafka.internal.handler;

import io.dedup.DedupContext;
import io.dedup.kafka.internal.reply.ReplyExchange;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The calls of handler methods that are running now. A call is found by the record that it is given, on whatever thread
 * it runs. Thread-safe.
 */
public final class Invocations {
    /** One call of a handler method. */
    @FunctionalInterface
    public interface Invocation {
        /** The context that the handler gets. */
        DedupContext context();

        /** The reply that is stored for duplicates; null if none is. */
        default @Nullable ReplyExchange reply() {
            return null;
        }

        /** Whether the listener was called on the current thread. */
        default boolean isOnThisThread() {
            return false;
        }

        /** Whether the run may end with a future that the method returns; if not, the call must wait for the future. */
        default boolean mayEndLater() {
            return false;
        }

        /**
         * The run ends with this future, which the method returned. Returns a future that completes when the outcome is
         * recorded.
         */
        default CompletableFuture<?> endsWith(CompletableFuture<?> work) {
            return work;
        }
    }

    /** Hears of failures of handler methods, on the threads that have called them. */
    @FunctionalInterface
    public interface Failures {
        /**
         * A method has failed.
         *
         * @param record that it was called with; null if it was a batch
         * @param taker who may take the failure instead of passing it on
         */
        void threw(Throwable failure, @Nullable ConsumerRecord<?, ?> record, String taker);
    }

    private final Failures failures;
    private final Map<ConsumerRecord<?, ?>, Invocation> running =
            new ConcurrentHashMap<>(); // records are their own keys

    /** Whether any handler method asks for its calls; a listener that isn't an annotated method has none. */
    private volatile boolean asked;

    public Invocations(Failures failures) {
        this.failures = failures;
    }

    /** A handler method was wrapped that asks for its calls. Called before the first of them. */
    void handlerMethodAsks() {
        asked = true;
    }

    /** The exchange of the request with these arguments; null if its reply isn't stored. */
    @Nullable
    ReplyExchange reply(@Nullable Object[] arguments) {
        Invocation invocation = of(arguments);
        return invocation == null ? null : invocation.reply();
    }

    /** The exchange of the listener call on this thread; null if its reply isn't stored. */
    public @Nullable ReplyExchange replying() {
        for (Invocation each : running.values()) { // at most one per consumer of the container
            ReplyExchange reply = each.reply();
            if (reply != null && each.isOnThisThread()) {
                return reply;
            }
        }
        return null;
    }

    public void begin(ConsumerRecord<?, ?> record, Invocation invocation) {
        if (asked) {
            running.put(record, invocation);
        }
    }

    public void end(ConsumerRecord<?, ?> record) {
        if (asked) {
            running.remove(record);
        }
    }

    /** The call with these arguments; null if it is a batch or its listener isn't decorated. */
    @Nullable
    Invocation of(@Nullable Object[] arguments) {
        ConsumerRecord<?, ?> record = record(arguments);
        return record == null ? null : running.get(record);
    }

    private static @Nullable ConsumerRecord<?, ?> record(@Nullable Object[] arguments) {
        for (Object argument : arguments) {
            if (argument instanceof ConsumerRecord<?, ?> record) {
                return record;
            }
        }
        return null;
    }

    /** The handler method has failed that was called with these arguments. */
    void threw(Throwable failure, @Nullable Object[] arguments, String taker) {
        failures.threw(failure, record(arguments), taker);
    }
}
