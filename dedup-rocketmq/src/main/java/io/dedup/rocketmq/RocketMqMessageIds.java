package io.dedup.rocketmq;

import io.dedup.id.MessageIdExtractor;
import io.dedup.text.Printable;
import io.dedup.id.JsonPointerId;
import io.dedup.rocketmq.internal.listener.MessageDeliveries;
import java.util.Collection;
import java.util.Iterator;
import org.apache.rocketmq.client.apis.message.MessageView;

/**
 * Finds the business ID in a message. All of these are thread-safe, and none guesses: what isn't there or is ambiguous
 * counts as a missing ID, about which the topic's policy decides. {@link MessageIdExtractor#composite} joins several.
 */
public final class RocketMqMessageIds {
    private static final String JSON = "string or integer at JSON Pointer ";

    private RocketMqMessageIds() {}

    /** A property that the producer set. Missing when it isn't there. */
    public static MessageIdExtractor<MessageView> property(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("property: the name of the property must not be blank");
        }
        return MessageIdExtractor.named(
                "property " + Printable.of(name),
                message -> message.getProperties().get(name));
    }

    /**
     * The message's only key. Missing when there is none; and when there are several, since nothing tells which of them
     * is the business ID.
     */
    public static MessageIdExtractor<MessageView> key() {
        return MessageIdExtractor.named("key", message -> {
            Collection<String> keys = message.getKeys();
            if (keys.size() > 1) {
                throw new IllegalArgumentException("the message has " + keys.size()
                        + " keys, and only one could be its ID; use keyStartingWith(prefix) or a property");
            }
            return keys.isEmpty() ? null : keys.iterator().next();
        });
    }

    /** The only key that begins with a prefix, prefix included. Missing when there is none or more than one. */
    public static MessageIdExtractor<MessageView> keyStartingWith(String prefix) {
        if (prefix.isEmpty()) {
            throw new IllegalArgumentException("keyStartingWith: the prefix must not be empty; use key()");
        }
        return MessageIdExtractor.named("key that begins with " + Printable.of(prefix), message -> {
            Iterator<String> found = message.getKeys().stream()
                    .filter(key -> key.startsWith(prefix))
                    .distinct()
                    .iterator();
            String id = found.hasNext() ? found.next() : null;
            if (found.hasNext()) {
                throw new IllegalArgumentException("the message has several keys that start with " + prefix);
            }
            return id;
        });
    }

    /**
     * The ID that the producer's client gave the message. Recognises what the client or the broker sends again, but
     * nothing that an application sends twice.
     */
    public static MessageIdExtractor<MessageView> messageId() {
        return message -> message.getMessageId().toString();
    }

    /**
     * The string or integer at a place of a JSON body.
     *
     * @param pointer a JSON Pointer (RFC 6901), such as {@code /payment/id}
     * @throws IllegalArgumentException when it isn't one
     * @throws IllegalStateException when Jackson's core isn't on the class path
     */
    public static MessageIdExtractor<MessageView> json(String pointer) {
        JsonPointerId id = JsonPointerId.of(pointer);
        return MessageIdExtractor.named(
                JSON + Printable.of(pointer), message -> id.find(MessageDeliveries.payload(message)));
    }
}
