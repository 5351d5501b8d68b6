package io.dedup.spring.boot.internal.rocketmqspring;

import io.dedup.id.MessageIdExtractor;
import io.dedup.rocketmq.remoting.RemotingMessageIds;
import io.dedup.spring.boot.internal.rocketmqclients.RocketMqIds;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.apache.rocketmq.common.message.MessageExt;
import org.jspecify.annotations.Nullable;

/** What ID expressions find in the older client's messages. */
final class RemotingMessages {
    private RemotingMessages() {}

    static RocketMqIds<MessageExt> ids(Function<String, MessageIdExtractor<?>> beans) {
        return new RocketMqIds<>(
                beans,
                new RocketMqIds.Extractors<>(
                        RemotingMessageIds::property,
                        RemotingMessageIds.key(),
                        RemotingMessageIds::keyStartingWith,
                        RemotingMessageIds::json,
                        RemotingMessageIds.messageId()),
                message -> new RocketMqIds.Message(
                        message.getTopic(),
                        message.getTags(),
                        () -> RemotingMessageIds.keys(message),
                        () -> body(message),
                        message::getProperty));
    }

    private static @Nullable String body(MessageExt message) {
        byte[] body = message.getBody();
        return body == null ? null : new String(body, StandardCharsets.UTF_8);
    }
}
