package io.dedup.spring.boot;

import org.jspecify.annotations.Nullable;

/** An entry of {@code dedup.listeners}. Not thread-safe. */
public class ListenerProperties extends PolicyProperties {
    /** The consumer name within which IDs are unique; the consumer group by default. Changing it forgets windows. */
    private @Nullable String consumer;

    /** RocketMQ only: the consumer group of the listener bean. */
    private @Nullable String consumerGroup;

    public @Nullable String getConsumer() {
        return consumer;
    }

    public void setConsumer(@Nullable String consumer) {
        this.consumer = consumer;
    }

    public @Nullable String getConsumerGroup() {
        return consumerGroup;
    }

    public void setConsumerGroup(@Nullable String consumerGroup) {
        this.consumerGroup = consumerGroup;
    }
}
