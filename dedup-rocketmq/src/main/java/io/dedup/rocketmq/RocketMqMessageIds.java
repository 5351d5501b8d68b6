package io.dedup.rocketmq;

import io.dedup.id.JsonPointerId;
import io.dedup.id.KeyIds;
import io.dedup.id.MessageIdExtractor;
import io.dedup.rocketmq.internal.listener.MessageDeliveries;
import io.dedup.text.Printable;
import org.apache.rocketmq.client.apis.message.MessageView;

/**
 * Ready-made extractors that read the message ID from a message. They are thread-safe and don't guess: if the ID is
 * absent or ambiguous, it counts as missing, and the topic's {@code OnMissingId} policy applies.
 * {@link MessageIdExtractor#composite} joins several.
 */
public final class RocketMqMessageIds {
    private static final String JSON = "string or integer at JSON Pointer ";

    private RocketMqMessageIds() {}

    /**
     * Reads the ID from a property that the producer set.
     *
     * @throws IllegalArgumentException when the name is blank
     */
    public static MessageIdExtractor<MessageView> property(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("property(name): the property name must not be blank");
        }
        return MessageIdExtractor.named(
                "property " + Printable.of(name),
                message -> message.getProperties().get(name));
    }

    /**
     * Uses the message's only key. The ID is missing if the message has no key or several, because it isn't known which
     * key is the business ID.
     */
    public static MessageIdExtractor<MessageView> key() {
        return KeyIds.only(MessageView::getKeys);
    }

    /**
     * Uses the only key that begins with a prefix; the prefix is part of the ID. The ID is missing if there is no such
     * key or more than one.
     *
     * @throws IllegalArgumentException when the prefix is empty
     */
    public static MessageIdExtractor<MessageView> keyStartingWith(String prefix) {
        return KeyIds.startingWith(prefix, MessageView::getKeys);
    }

    /**
     * Uses the ID that the producer's client gave the message. This recognizes messages that the client or the broker
     * sends again, but not a message that an application sends twice.
     */
    public static MessageIdExtractor<MessageView> messageId() {
        return message -> message.getMessageId().toString();
    }

    /**
     * Reads the string or integer at a given place of a JSON body.
     *
     * @param pointer a JSON Pointer (RFC 6901), such as {@code /payment/id}
     * @throws IllegalArgumentException when the pointer is invalid
     * @throws IllegalStateException when Jackson's core isn't on the class path
     */
    public static MessageIdExtractor<MessageView> json(String pointer) {
        JsonPointerId id = JsonPointerId.of(pointer);
        return MessageIdExtractor.named(
                JSON + Printable.of(pointer), message -> id.find(MessageDeliveries.payload(message)));
    }
}
