package io.dedup.testkit.rocketmq;

import io.dedup.id.MessageIdExtractor;
import io.dedup.testkit.replay.Timeline;
import io.dedup.testkit.replay.TopicMessage;
import io.dedup.testkit.replay.TopicReplay;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.rocketmq.client.apis.ClientConfiguration;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.jspecify.annotations.Nullable;

/**
 * Makes a {@link TopicReplay} of a RocketMQ topic, for push consumers. Works with any broker that the test has, given its
 * endpoints.
 *
 * <pre>{@code
 * ListenerWatch watch = new ListenerWatch(); // pushConsumerBuilder.setMessageListener(watch.around(dedup.decorate(...)))
 * TopicReplay replay = RocketMqReplay.of(clientConfiguration, watch)
 *         .topic("orders").group("billing").ids(RocketMqMessageIds.property("order-id"))
 *         .effects(() -> jdbc.queryForList("SELECT order_id FROM invoice", String.class))
 *         .build();
 * }</pre>
 *
 * <p>The topic is what the watched listener was given; messages that were never delivered aren't known: name what has to
 * come with {@link TopicReplay#expect}. There are no partitions and offsets to choose by.
 */
public final class RocketMqReplay {
    private final ClientConfiguration client;
    private final ListenerWatch watch;
    private @Nullable String topic;
    private @Nullable String group;
    private @Nullable String consumer;
    private @Nullable MessageIdExtractor<? super MessageView> ids;
    private @Nullable Supplier<? extends Collection<String>> effects;
    private @Nullable Runnable reset;
    private Timeline timeline = new Timeline();
    private Duration atMost = Duration.ofMinutes(1);

    private RocketMqReplay(ClientConfiguration client, ListenerWatch watch) {
        this.client = client;
        this.watch = watch;
    }

    /** With the application's client settings, and a watch that is around its listener. */
    public static RocketMqReplay of(ClientConfiguration client, ListenerWatch watch) {
        return new RocketMqReplay(Objects.requireNonNull(client, "client"), Objects.requireNonNull(watch, "watch"));
    }

    /** Required. */
    public RocketMqReplay topic(String name) {
        topic = Objects.requireNonNull(name, "topic");
        return this;
    }

    /** Required: the application's consumer group. */
    public RocketMqReplay group(String name) {
        group = Objects.requireNonNull(name, "group");
        return this;
    }

    /** Required: where the ID is; the same as the listener's. */
    public RocketMqReplay ids(MessageIdExtractor<? super MessageView> extractor) {
        ids = Objects.requireNonNull(extractor, "ids");
        return this;
    }

    /** The deduplicator's consumer name, where it isn't the group's. */
    public RocketMqReplay consumer(String name) {
        consumer = Objects.requireNonNull(name, "consumer");
        return this;
    }

    /**
     * What tells the effects: for instance the rows that the handler has written. Without it, the timeline has to tell.
     *
     * @param tookEffect the IDs, one entry for each time; called often, on threads of its own, since a
     *     transaction of the test's may not see what handlers do
     */
    public RocketMqReplay effects(Supplier<? extends Collection<String>> tookEffect) {
        effects = Objects.requireNonNull(tookEffect, "effects");
        return this;
    }

    /** A listener of the application's deduplicator. */
    public RocketMqReplay timeline(Timeline listener) {
        timeline = Objects.requireNonNull(listener, "timeline");
        return this;
    }

    /**
     * Needed for rewinding: resets the group's offsets to the beginning of the topic, or to the time that the test
     * chooses by. An administrator's tool can ({@code mqadmin resetOffsetByTime}), the client can't.
     */
    public RocketMqReplay resettingOffsetsBy(Runnable tool) {
        reset = Objects.requireNonNull(tool, "resettingOffsetsBy");
        return this;
    }

    /** How long the application may take to consume everything; 1 minute unless set. */
    public RocketMqReplay atMost(Duration limit) {
        atMost = limit;
        return this;
    }

    /**
     * The replay.
     *
     * @throws IllegalArgumentException when a setting is missing or wrong; names it
     */
    public TopicReplay build() {
        String topicName = required("topic", topic);
        String groupName = required("group", group);
        MessageIdExtractor<? super MessageView> extractor = required("ids", ids);
        String consumerName = consumer == null ? groupName : consumer;
        Timeline noted = timeline;
        watch.observe((message, failed) -> {
            String id = TopicMessage.idOf(extractor, message);
            if (id != null && message.getTopic().equals(topicName)) {
                noted.note(
                        consumerName,
                        topicName,
                        id,
                        failed ? Timeline.Kind.FAILED : Timeline.Kind.DELIVERED,
                        "message " + message.getMessageId() + ", attempt " + message.getDeliveryAttempt(),
                        Thread.currentThread().getName());
            }
        });
        RocketMqTopic broker = new RocketMqTopic(client, topicName, groupName, extractor, watch, reset);
        return new TopicReplay(broker, noted, consumerName, effects, atMost);
    }

    private static <T> T required(String what, @Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException(what + "(...) must be set");
        }
        return value;
    }
}
