package io.dedup.spring.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** An entry of {@code dedup.listeners}. Not thread-safe. */
public class ListenerProperties extends PolicyProperties {
    /** The consumer name within which IDs are unique; the consumer group by default. Changing it forgets windows. */
    private @Nullable String consumer;

    /** RocketMQ only: the consumer group of the listener bean. */
    private @Nullable String consumerGroup;

    /** Methods with a topic, and advices of Spring Integration: how long a call waits that cannot be decided yet, before it throws. By default a listener of RabbitMQ, JMS, SQS, Pulsar or Service Bus waits until it is decided, and others for max-processing-time plus lease. A call within a request waits for in-flight-wait. */
    private @Nullable Duration maxWait;

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

    public @Nullable Duration getMaxWait() {
        return maxWait;
    }

    public void setMaxWait(@Nullable Duration maxWait) {
        this.maxWait = maxWait;
    }
}
