package io.dedup.spring.boot.internal.rocketmq;

import io.dedup.id.MessageIdExtractor;
import io.dedup.rocketmq.RocketMqMessageIds;
import io.dedup.spring.boot.internal.rocketmqclients.RocketMqIds;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.apache.rocketmq.client.apis.message.MessageView;

/** What ID expressions find in the newer client's messages. */
final class MessageViews {
    private MessageViews() {}

    static RocketMqIds<MessageView> ids(Function<String, MessageIdExtractor<?>> beans) {
        return new RocketMqIds<>(
                beans,
                new RocketMqIds.Extractors<>(
                        RocketMqMessageIds::property,
                        RocketMqMessageIds.key(),
                        RocketMqMessageIds::keyStartingWith,
                        RocketMqMessageIds::json,
                        RocketMqMessageIds.messageId()),
                MessageViews::message);
    }

    private static RocketMqIds.Message message(MessageView message) {
        return new RocketMqIds.Message(
                message.getTopic(),
                message.getTag().orElse(null),
                message::getKeys,
                () -> StandardCharsets.UTF_8
                        .decode(message.getBody().duplicate())
                        .toString(),
                name -> message.getProperties().get(name));
    }
}
