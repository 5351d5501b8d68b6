package io.dedup.rocketmq.remoting;

import io.dedup.DedupTopic;
import io.dedup.Deduplicator;
import io.dedup.Fingerprint;
import io.dedup.MessageIdExtractor;
import io.dedup.engine.Delivery;
import io.dedup.internal.Printable;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.rocketmq.common.message.MessageExt;
import org.jspecify.annotations.Nullable;

/**
 * Makes deliveries of messages: their topic's policy, their ID, their fingerprint. A message that comes from its group's
 * retry topic has got its own topic back from the client by then. Thread-safe.
 */
final class MessageDeliveries {
    private final Deduplicator deduplicator;
    private final @Nullable MessageIdExtractor<? super MessageExt> byDefault;
    private final Map<String, MessageIdExtractor<? super MessageExt>> byTopic;

    MessageDeliveries(
            Deduplicator deduplicator,
            @Nullable MessageIdExtractor<? super MessageExt> byDefault,
            Map<String, MessageIdExtractor<? super MessageExt>> byTopic) {
        this.deduplicator = deduplicator;
        this.byDefault = byDefault;
        this.byTopic = Map.copyOf(byTopic);
    }

    Delivery of(MessageExt message) {
        DedupTopic topic = deduplicator.topic(message.getTopic());
        Supplier<String> origin = () -> origin(message);
        MessageIdExtractor<? super MessageExt> extractor = byTopic.getOrDefault(message.getTopic(), byDefault);
        if (extractor == null) {
            return Delivery.withoutId(topic, "no ID extractor is set for topic " + message.getTopic(), origin);
        }
        String id;
        try {
            id = extractor.extract(message);
        } catch (Throwable e) { // checked exceptions, too, which Kotlin doesn't declare
            if (e instanceof VirtualMachineError fatal && !(e instanceof StackOverflowError)) {
                throw fatal;
            }
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            return Delivery.withoutId(topic, problem(e), origin);
        }
        Fingerprint fingerprint = topic.policy().fingerprint() ? Fingerprint.ofPayload(message.getBody()) : null;
        return Delivery.of(topic, id, fingerprint, origin);
    }

    static String origin(MessageExt message) {
        return "topic " + message.getTopic() + ", message " + message.getMsgId() + ", reconsumed "
                + message.getReconsumeTimes() + " times";
    }

    /** An exception in a line of a log, escaped and capped. */
    static String text(Throwable e) {
        String message = e.getMessage();
        return e.getClass().getName() + (message == null ? "" : ": " + Printable.of(message));
    }

    private static String problem(Throwable e) {
        String message = e.getMessage();
        return e instanceof IllegalArgumentException && message != null ? Printable.of(message) : text(e);
    }
}
