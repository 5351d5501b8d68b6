package io.dedup.kafka.internal.reply;

import io.dedup.DedupKey;
import io.dedup.DedupTopic;
import io.dedup.ResultCodec;
import io.dedup.adapter.Execution;
import io.dedup.adapter.Results;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Stores the results of handlers, so that a duplicate request gets the same reply. Thread-safe. */
public final class Replies {
    private final Map<String, ResultCodec<?>> byTopic;
    private final @Nullable ResultCodec<?> byDefault;
    private final Results results;

    public Replies(Map<String, ResultCodec<?>> byTopic, @Nullable ResultCodec<?> byDefault, Results results) {
        this.byTopic = Map.copyOf(byTopic);
        this.byDefault = byDefault;
        this.results = results;
    }

    /** Whether results of any topic are stored. */
    boolean any() {
        return byDefault != null || !byTopic.isEmpty();
    }

    @SuppressWarnings("unchecked") // a codec of another type fails, and the result isn't stored
    private @Nullable ResultCodec<Object> codec(DedupTopic topic) {
        return (ResultCodec<Object>) byTopic.getOrDefault(topic.scope().topic(), byDefault);
    }

    /**
     * The exchange of a run; null if its result isn't stored.
     *
     * @param atOnce whether replies are sent when the handler returns, because they are part of the container's
     *     transaction
     */
    @Nullable
    public ReplyExchange of(DedupTopic topic, Execution execution, boolean atOnce) {
        ResultCodec<Object> codec = any() ? codec(topic) : null;
        DedupKey key = execution.key();
        if (codec == null || key == null || !execution.guarded()) {
            return null;
        }
        int maxBytes = topic.policy().maxResultBytes();
        return new ReplyExchange(null, atOnce, result -> {
            byte[] bytes = results.encode(key, codec, maxBytes, result);
            if (bytes != null) {
                execution.keepResult(bytes);
            }
            return bytes;
        });
    }

    /** The exchange of a duplicate, by the result of the message's run; null if it cannot be read. */
    @Nullable
    public ReplyExchange of(DedupTopic topic, DedupKey key, byte[] bytes, boolean atOnce) {
        ResultCodec<Object> codec = any() ? codec(topic) : null;
        Object stored = codec == null ? null : results.decode(key, codec, bytes);
        return stored == null ? null : new ReplyExchange(stored, atOnce, result -> bytes);
    }
}
