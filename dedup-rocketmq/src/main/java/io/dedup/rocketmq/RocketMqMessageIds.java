package io.dedup.rocketmq;

import io.dedup.id.JsonPointerId;
import io.dedup.id.KeyIds;
import io.dedup.id.MessageIdExtractor;
import io.dedup.rocketmq.internal.listener.MessageDeliveries;
import io.dedup.text.Printable;
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
        return KeyIds.only(MessageView::getKeys);
    }

    /** The only key that begins with a prefix, prefix included. Missing when there is none or more than one. */
    public static MessageIdExtractor<MessageView> keyStartingWith(String prefix) {
        return KeyIds.startingWith(prefix, MessageView::getKeys);
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
