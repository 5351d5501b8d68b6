package io.dedup.rocketmq.remoting;

import io.dedup.id.JsonPointerId;
import io.dedup.id.KeyIds;
import io.dedup.id.MessageIdExtractor;
import io.dedup.text.Printable;
import java.util.Arrays;
import java.util.List;
import org.apache.rocketmq.common.message.MessageClientIDSetter;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageExt;

/**
 * Ready-made extractors that read the message ID from a message. They are thread-safe and don't guess: if the ID is
 * absent or ambiguous, it counts as missing, and the topic's {@code OnMissingId} policy applies.
 * {@link MessageIdExtractor#composite} joins several.
 */
public final class RemotingMessageIds {
    private static final String JSON = "string or integer at JSON Pointer ";

    private RemotingMessageIds() {}

    /**
     * Reads the ID from a property that the producer set.
     *
     * @throws IllegalArgumentException when the name is blank
     */
    public static MessageIdExtractor<MessageExt> property(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("property(name): the property name must not be blank");
        }
        return MessageIdExtractor.named("property " + Printable.of(name), message -> message.getProperty(name));
    }

    /**
     * Uses the message's only key. The ID is missing if the message has no key or several, because it isn't known which
     * key is the business ID. This client sends all keys as one text, separated by spaces, so that a key cannot contain
     * a space.
     */
    public static MessageIdExtractor<MessageExt> key() {
        return KeyIds.only(RemotingMessageIds::keys);
    }

    /**
     * Uses the only key that begins with a prefix; the prefix is part of the ID. The ID is missing if there is no such
     * key or more than one.
     *
     * @throws IllegalArgumentException when the prefix is empty or contains a space
     */
    public static MessageIdExtractor<MessageExt> keyStartingWith(String prefix) {
        if (prefix.contains(MessageConst.KEY_SEPARATOR)) {
            throw new IllegalArgumentException(
                    "keyStartingWith(prefix): the prefix must not contain a space, which separates keys");
        }
        return KeyIds.startingWith(prefix, RemotingMessageIds::keys);
    }

    /**
     * Uses the ID that the producer's client gave the message, not the ID of its position in the broker, which changes
     * with each retry. This recognizes messages that the client or the broker sends again, but not a message that an
     * application sends twice.
     */
    public static MessageIdExtractor<MessageExt> messageId() {
        return MessageClientIDSetter::getUniqID;
    }

    /**
     * Reads the string or integer at a given place of a JSON body.
     *
     * @param pointer a JSON Pointer (RFC 6901), such as {@code /payment/id}
     * @throws IllegalArgumentException when the pointer is invalid
     * @throws IllegalStateException when Jackson's core isn't on the class path
     */
    public static MessageIdExtractor<MessageExt> json(String pointer) {
        JsonPointerId id = JsonPointerId.of(pointer);
        return MessageIdExtractor.named(
                JSON + Printable.of(pointer), message -> message.getBody() == null ? null : id.find(message.getBody()));
    }

    private static List<String> keys(MessageExt message) {
        String keys = message.getKeys();
        return keys == null
                ? List.of()
                : Arrays.stream(keys.split(MessageConst.KEY_SEPARATOR))
                        .filter(key -> !key.isEmpty())
                        .toList();
    }
}
