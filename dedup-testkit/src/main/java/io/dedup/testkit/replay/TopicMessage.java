package io.dedup.testkit.replay;

import io.dedup.DedupKey;
import io.dedup.id.MessageIdExtractor;
import io.dedup.text.Printable;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message on a topic.
 *
 * @param topic the topic's name
 * @param place its position, unique on the broker: topic, partition and offset, or topic and the broker's message ID
 * @param partition -1 if the broker has no partitions
 * @param offset -1 if the broker has no offsets
 * @param sentAt by the sender's clock
 * @param id the message ID as it is in the message; null if it has no usable one
 * @param raw the message in the broker client's own type
 */
public record TopicMessage(
        String topic,
        String place,
        int partition,
        long offset,
        Instant sentAt,
        @Nullable String id,
        Object raw) {
    public TopicMessage {
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(place, "place");
        Objects.requireNonNull(sentAt, "sentAt");
        Objects.requireNonNull(raw, "raw");
    }

    /**
     * Returns the usable ID of a message, or null. An extractor that throws counts as a missing ID, as in a listener.
     */
    public static <M> @Nullable String idOf(MessageIdExtractor<? super M> ids, M message) {
        String id;
        try {
            id = ids.extract(message);
        } catch (RuntimeException noId) {
            return null;
        }
        return DedupKey.problemWith(id) == null ? id : null;
    }

    /** Omits the content, which may be secret, and makes the ID safe for a terminal. */
    @Override
    public String toString() {
        return (id == null ? "a message without an ID" : Printable.of(id)) + " (" + place + ")";
    }
}
