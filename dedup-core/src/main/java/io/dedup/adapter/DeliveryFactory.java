package io.dedup.adapter;

import io.dedup.DedupKey;
import io.dedup.DedupTopic;
import io.dedup.Fingerprint;
import io.dedup.id.MessageIdExtractor;
import io.dedup.id.UnusableIdException;
import io.dedup.text.Printable;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Creates deliveries from a broker's messages, with the topic's ID extractor and fingerprints. If an extractor throws,
 * the message counts as having no ID, and the topic's policy decides. Thread-safe.
 *
 * @param <M> the type of message that the extractors read
 */
public final class DeliveryFactory<M> {
    private final Function<String, DedupTopic> topics;
    private final @Nullable MessageIdExtractor<? super M> byDefault;
    private final Map<String, MessageIdExtractor<? super M>> byTopic;

    /**
     * Creates a factory.
     *
     * @param topics finds a topic by its name
     * @param byDefault extracts the IDs of topics without an extractor of their own; null if there is no default
     * @param byTopic extractors by topic name
     */
    public DeliveryFactory(
            Function<String, DedupTopic> topics,
            @Nullable MessageIdExtractor<? super M> byDefault,
            Map<String, MessageIdExtractor<? super M>> byTopic) {
        this.topics = Objects.requireNonNull(topics, "topics");
        this.byDefault = byDefault;
        this.byTopic = Map.copyOf(byTopic);
    }

    /** Whether there is a default extractor. */
    public boolean hasDefault() {
        return byDefault != null;
    }

    /** Whether there is an extractor for messages of this topic. */
    public boolean knows(String topic) {
        return byDefault != null || byTopic.containsKey(topic);
    }

    /** Returns the topic with this name. */
    public DedupTopic topic(String name) {
        return topics.apply(name);
    }

    /**
     * Creates a delivery.
     *
     * @param origin names the message in errors and logs
     * @param fingerprint computes the fingerprint of the message's payload; only called if the topic's policy compares
     *     payloads
     */
    public Delivery of(
            String topicName,
            M message,
            Supplier<String> origin,
            Function<? super M, @Nullable Fingerprint> fingerprint) {
        return of(topicName, topic(topicName), message, origin, fingerprint);
    }

    /**
     * Creates a delivery of a topic that is known already.
     *
     * @param topic as {@link #topic} returns it for {@code topicName}
     */
    public Delivery of(
            String topicName,
            DedupTopic topic,
            M message,
            Supplier<String> origin,
            Function<? super M, @Nullable Fingerprint> fingerprint) {
        MessageIdExtractor<? super M> extractor = byTopic.getOrDefault(topicName, byDefault);
        if (extractor == null) {
            return Delivery.withoutId(topic, "no ID extractor is set for topic " + topicName, origin);
        }
        String id;
        String problem;
        try {
            id = extractor.extract(message);
            problem = problem(id, message, extractor);
        } catch (Throwable e) { // checked exceptions, too, which Kotlin doesn't declare
            if (e instanceof VirtualMachineError fatal && !(e instanceof StackOverflowError)) {
                throw fatal;
            }
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            return Delivery.withoutId(topic, problem(e), origin);
        }
        if (problem != null) {
            return Delivery.withoutId(topic, problem, origin);
        }
        DedupKey key = DedupKey.of(topic.scope(), id);
        return new Delivery(topic, key, null, topic.policy().fingerprint() ? fingerprint.apply(message) : null, origin);
    }

    /** Explains why an ID is unusable, naming where it was expected; null if it is usable. */
    private static <M> @Nullable String problem(
            @Nullable String id, M message, MessageIdExtractor<? super M> extractor) {
        String problem = DedupKey.problemWith(id);
        if (problem == null) {
            return null;
        }
        String source = extractor.source(message);
        return id == null ? "it has no " + source : "its " + source + problem.substring("it".length());
    }

    private static String problem(Throwable e) {
        String message = e.getMessage();
        if (e instanceof UnusableIdException && message != null) {
            return Printable.sentence(message);
        }
        return e instanceof IllegalArgumentException && message != null
                ? Printable.of(message)
                : Printable.ofException(e);
    }
}
