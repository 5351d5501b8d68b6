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
 * Builds a {@link TopicReplay} of a RocketMQ topic, for push consumers. Works with any broker that the test can reach.
 *
 * <pre>{@code
 * ListenerWatch watch = new ListenerWatch(); // pushConsumerBuilder.setMessageListener(watch.around(dedup.decorate(...)))
 * TopicReplay replay = RocketMqReplay.of(clientConfiguration, watch)
 *         .topic("orders").group("billing").ids(RocketMqMessageIds.property("order-id"))
 *         .effects(() -> jdbc.queryForList("SELECT order_id FROM invoice", String.class))
 *         .build();
 * }</pre>
 *
 * <p>The topic consists of the messages that the watched listener got. Messages that were never delivered are unknown:
 * pass the IDs that must arrive to {@link TopicReplay#expect}. Messages cannot be chosen by partition and offset. Not
 * thread-safe.
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

    /** Connects with the application's client settings, and observes its listener with the given watch. */
    public static RocketMqReplay of(ClientConfiguration client, ListenerWatch watch) {
        return new RocketMqReplay(Objects.requireNonNull(client, "client"), Objects.requireNonNull(watch, "watch"));
    }

    /** The topic to replay. Required. */
    public RocketMqReplay topic(String name) {
        topic = Objects.requireNonNull(name, "topic");
        return this;
    }

    /** The application's consumer group. Required. */
    public RocketMqReplay group(String name) {
        group = Objects.requireNonNull(name, "group");
        return this;
    }

    /** Where the message ID is; use the listener's extractor. Required. */
    public RocketMqReplay ids(MessageIdExtractor<? super MessageView> extractor) {
        ids = Objects.requireNonNull(extractor, "ids");
        return this;
    }

    /** The deduplicator's consumer name, if it isn't the group's name. */
    public RocketMqReplay consumer(String name) {
        consumer = Objects.requireNonNull(name, "consumer");
        return this;
    }

    /**
     * How effects are counted, for example by the rows that the handler has written. Without it, effects are counted
     * from the timeline.
     *
     * @param tookEffect returns the message IDs, one entry for each time a message took effect; called often, on
     *     separate threads, because the test's own transaction may not see what handlers write
     */
    public RocketMqReplay effects(Supplier<? extends Collection<String>> tookEffect) {
        effects = Objects.requireNonNull(tookEffect, "effects");
        return this;
    }

    /** The timeline that is registered as a listener of the application's deduplicator. */
    public RocketMqReplay timeline(Timeline listener) {
        timeline = Objects.requireNonNull(listener, "timeline");
        return this;
    }

    /**
     * Resets the group's offsets to the beginning of the topic, or to the time that the test chooses by. Required for
     * {@link io.dedup.testkit.replay.Replay#byRewinding()}: the client cannot do it, but an administration tool can
     * ({@code mqadmin resetOffsetByTime}).
     */
    public RocketMqReplay resettingOffsetsBy(Runnable tool) {
        reset = Objects.requireNonNull(tool, "resettingOffsetsBy");
        return this;
    }

    /** How long the application may take to consume everything; 1 minute by default. */
    public RocketMqReplay atMost(Duration limit) {
        atMost = limit;
        return this;
    }

    /**
     * Creates the replay.
     *
     * @throws IllegalArgumentException when a setting is missing or invalid; names the setting
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
            throw new IllegalArgumentException("Call " + what + "(...) first: it is required");
        }
        return value;
    }
}
