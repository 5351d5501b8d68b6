package io.dedup.spring.boot;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A message listener bean whose topics are decided about when their first message comes: a listener doesn't know its
 * subscriptions. Thread-safe.
 */
final class RocketMqListener implements MessageListener {
    private static final Logger log = LoggerFactory.getLogger("io.dedup");

    private final String name;
    private final Function<String, MessageListener> byTopic;
    private final Map<String, MessageListener> known = new ConcurrentHashMap<>();

    /**
     * A listener.
     *
     * @param byTopic finds what handles a topic's messages
     */
    RocketMqListener(String name, Function<String, MessageListener> byTopic) {
        this.name = name;
        this.byTopic = byTopic;
    }

    @Override
    public ConsumeResult consume(MessageView message) {
        MessageListener listener;
        try {
            listener = known.computeIfAbsent(message.getTopic(), byTopic);
        } catch (RuntimeException e) {
            log.error(
                    "RocketMQ listener {}: a message of topic {} fails, because its topic can't be deduplicated",
                    name,
                    message.getTopic(),
                    e);
            return ConsumeResult.FAILURE;
        }
        return listener.consume(message);
    }
}
