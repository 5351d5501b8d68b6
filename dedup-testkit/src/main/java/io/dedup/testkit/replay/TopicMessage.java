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
 * @param place where it is, unique on the broker: topic, partition and offset, or topic and the broker's message ID
 * @param partition -1 where the broker shows none
 * @param offset -1 where the broker shows none
 * @param sentAt by the clock of whoever sent it
 * @param id the business ID as it was given, or null when the message has no usable one
 * @param raw the broker's own form of it
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

    /** The usable ID of a message, or null: an extractor that throws counts as a missing ID, as it does in a listener. */
    public static <M> @Nullable String idOf(MessageIdExtractor<? super M> ids, M message) {
        String id;
        try {
            id = ids.extract(message);
        } catch (RuntimeException noId) {
            return null;
        }
        return DedupKey.problemWith(id) == null ? id : null;
    }

    /** Without the content, which may be a secret, and with the ID fit for a terminal. */
    @Override
    public String toString() {
        return (id == null ? "a message without an ID" : Printable.of(id)) + " (" + place + ")";
    }
}
