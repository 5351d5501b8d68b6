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
 * Finds the business ID in a message. All of these are thread-safe, and none guesses: what isn't there or is ambiguous
 * counts as a missing ID, about which the topic's policy decides. {@link MessageIdExtractor#composite} joins several.
 */
public final class RemotingMessageIds {
    private static final String JSON = "string or integer at JSON Pointer ";

    private RemotingMessageIds() {}

    /** A property that the producer set. Missing when it isn't there. */
    public static MessageIdExtractor<MessageExt> property(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("property: the name of the property must not be blank");
        }
        return MessageIdExtractor.named("property " + Printable.of(name), message -> message.getProperty(name));
    }

    /**
     * The message's only key. Missing when there is none; and when there are several, since nothing tells which of them
     * is the business ID. A space ends a key: this client sends all of them as one text.
     */
    public static MessageIdExtractor<MessageExt> key() {
        return KeyIds.only(RemotingMessageIds::keys);
    }

    /** The only key that begins with a prefix, prefix included. Missing when there is none or more than one. */
    public static MessageIdExtractor<MessageExt> keyStartingWith(String prefix) {
        if (prefix.contains(MessageConst.KEY_SEPARATOR)) {
            throw new IllegalArgumentException("keyStartingWith: the prefix must not hold a space, which ends a key");
        }
        return KeyIds.startingWith(prefix, RemotingMessageIds::keys);
    }

    /**
     * The ID that the producer's client gave the message, not the one that names its place in the broker, which is another
     * after each retry. Recognises what the client or the broker sends again, but nothing that an application sends twice.
     */
    public static MessageIdExtractor<MessageExt> messageId() {
        return MessageClientIDSetter::getUniqID;
    }

    /**
     * The string or integer at a place of a JSON body.
     *
     * @param pointer a JSON Pointer (RFC 6901), such as {@code /payment/id}
     * @throws IllegalArgumentException when it isn't one
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
