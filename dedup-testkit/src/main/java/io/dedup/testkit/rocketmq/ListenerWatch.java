package io.dedup.testkit.rocketmq;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.message.MessageView;

/**
 * Sees what a push consumer's listener is given and what it answers, since a RocketMQ client can ask for neither a
 * group's progress nor a topic's content. Put it around everything: {@code watch.around(dedup.decorate(...))}. Thread-safe.
 */
public final class ListenerWatch {
    private final Map<String, MessageView> seen = new ConcurrentHashMap<>();
    private final Map<String, Integer> acks = new ConcurrentHashMap<>();
    private volatile BiConsumer<MessageView, Boolean> observer = (message, answered) -> {};

    /** A watch that has seen nothing. */
    public ListenerWatch() {}

    /** A listener that does what this one does, and is watched. */
    public MessageListener around(MessageListener listener) {
        Objects.requireNonNull(listener, "listener");
        return message -> {
            String messageId = message.getMessageId().toString();
            seen.putIfAbsent(messageId, message);
            observer.accept(message, false);
            boolean acked = false;
            try {
                ConsumeResult result = listener.consume(message);
                acked = ConsumeResult.SUCCESS.equals(result);
                return result;
            } finally {
                if (acked) {
                    acks.merge(messageId, 1, Integer::sum);
                } else {
                    observer.accept(message, true);
                }
            }
        };
    }

    /** Is told of each delivery (false), and of each answer that is no success (true). */
    void observe(BiConsumer<MessageView, Boolean> deliveries) {
        observer = deliveries;
    }

    List<MessageView> seen() {
        return new ArrayList<>(seen.values());
    }

    int acks(String messageId) {
        return acks.getOrDefault(messageId, 0);
    }
}
