package io.dedup.simulation.rocketmq;

import java.util.List;
import java.util.Map;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.apache.rocketmq.client.java.message.MessageIdCodec;
import org.apache.rocketmq.client.java.message.MessageViewImpl;

/** The client's own messages. */
final class PopMessages {
    private PopMessages() {}

    static MessageView view(PopBroker.Message message, boolean fifo) {
        return new MessageViewImpl(
                MessageIdCodec.getInstance().nextMessageId(),
                Member.TOPIC,
                new byte[0],
                null,
                fifo ? "g" + message.group : null,
                null,
                null,
                null,
                List.of(),
                message.hasId ? Map.of("id", message.id, "name", message.id) : Map.of("name", message.id),
                "host",
                0,
                message.attempt(),
                null,
                message.handle(),
                0,
                false,
                null);
    }

    static String name(MessageView view) {
        return String.valueOf(view.getProperties().get("name"));
    }
}
