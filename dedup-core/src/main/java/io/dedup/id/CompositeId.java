package io.dedup.id;

import io.dedup.DedupKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Joins the IDs of several extractors. Immutable; as thread-safe as its parts. */
final class CompositeId<M> implements MessageIdExtractor<M> {
    private final List<MessageIdExtractor<? super M>> parts;

    CompositeId(List<MessageIdExtractor<? super M>> parts) {
        this.parts = List.copyOf(parts);
    }

    @Override
    public @Nullable String extract(M message) {
        StringBuilder joined = new StringBuilder();
        for (MessageIdExtractor<? super M> part : parts) {
            String id = part.extract(message);
            if (id == null || DedupKey.problemWith(id) != null) {
                return null;
            }
            joined.append(id.length()).append(':').append(id);
        }
        return joined.toString();
    }

    @Override
    public String source(M message) {
        for (MessageIdExtractor<? super M> part : parts) {
            if (DedupKey.problemWith(part.extract(message)) != null) {
                return part.source(message);
            }
        }
        return "message ID";
    }
}
