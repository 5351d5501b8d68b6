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
 * Observes the messages that a push consumer's listener gets and its answers, because a RocketMQ client can query
 * neither a group's progress nor a topic's content. Wrap it around the decorated listener:
 * {@code watch.around(dedup.decorate(...))}. Thread-safe.
 */
public final class ListenerWatch {
    private final Map<String, MessageView> seen = new ConcurrentHashMap<>();
    private final Map<String, Integer> acks = new ConcurrentHashMap<>();
    private volatile BiConsumer<MessageView, Boolean> observer = (message, answered) -> {};

    /** Creates a watch. */
    public ListenerWatch() {}

    /** Returns a listener that delegates to the given one and is observed. */
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

    /** Calls the observer for each delivery (with false) and for each answer other than success (with true). */
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
