package io.dedup.spring.boot;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.rocketmq.client.apis.message.MessageId;
import org.apache.rocketmq.client.apis.message.MessageView;

/** A RocketMQ message that no broker has sent. */
public final class PlayedMessage {
    private PlayedMessage() {}

    public static MessageView of(String topic, String orderId) {
        MessageId messageId = played(MessageId.class, Map.of("toString", "played"));
        return played(
                MessageView.class,
                Map.of(
                        "getTopic",
                        topic,
                        "getMessageId",
                        messageId,
                        "getProperties",
                        Map.of("order-id", orderId),
                        "getBody",
                        ByteBuffer.wrap(orderId.getBytes(StandardCharsets.UTF_8)),
                        "getDeliveryAttempt",
                        1,
                        "getBornTimestamp",
                        1L,
                        "getBornHost",
                        "played",
                        "toString",
                        "played"));
    }

    private static <T> T played(Class<T> type, Map<String, Object> answers) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            Object answer = answers.get(method.getName());
            if (answer != null) {
                return answer;
            }
            return Collection.class.isAssignableFrom(method.getReturnType()) ? List.of() : Optional.empty();
        }));
    }
}
