package io.dedup.spring.boot.internal.rocketmq;

import io.dedup.spring.boot.DedupConfigurationException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A message listener bean that decides for each topic whether to deduplicate it: at start, by {@link RocketMqTopicPreparation}, or with
 * the topic's first message, because a listener doesn't know its subscriptions. Thread-safe.
 */
public final class PerTopicMessageListener implements MessageListener {
    private static final Logger log = LoggerFactory.getLogger("io.dedup");

    private final String name;
    private final String group;
    private final Function<String, MessageListener> byTopic;
    private final Map<String, MessageListener> known = new ConcurrentHashMap<>();

    /**
     * A listener.
     *
     * @param byTopic finds what handles a topic's messages
     */
    public PerTopicMessageListener(String name, String group, Function<String, MessageListener> byTopic) {
        this.name = name;
        this.group = group;
        this.byTopic = byTopic;
    }

    /** The bean's. */
    String name() {
        return name;
    }

    /** The consumer group that it was configured for. */
    String group() {
        return group;
    }

    /**
     * Decides for a topic before its first message.
     *
     * @throws DedupConfigurationException when it cannot be deduplicated as configured
     */
    void prepare(String topic) {
        var unused = known.computeIfAbsent(topic, byTopic);
    }

    @Override
    public ConsumeResult consume(MessageView message) {
        MessageListener listener;
        try {
            listener = known.computeIfAbsent(message.getTopic(), byTopic);
        } catch (RuntimeException e) {
            log.error(
                    "RocketMQ listener {}: rejected a message of topic {}, because this topic cannot be deduplicated as"
                            + " configured",
                    name,
                    message.getTopic(),
                    e);
            return ConsumeResult.FAILURE;
        }
        return listener.consume(message);
    }
}
