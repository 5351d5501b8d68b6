package io.dedup.kafka.clients;

import io.dedup.Deduplicator;
import io.dedup.adapter.ConsumerGroup;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.DeliveryFactory;
import io.dedup.id.MessageIdExtractor;
import io.dedup.kafka.clients.internal.loop.Loop;
import io.dedup.kafka.clients.internal.record.ConsumerCheck;
import io.dedup.kafka.clients.internal.turn.Retries;
import io.dedup.kafka.id.KafkaDeliveries;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Configures a {@link DedupPoll}. Not thread-safe. */
public final class DedupPollBuilder {
    private static final Logger log = LoggerFactory.getLogger(DedupPoll.class);

    private static final Duration DEFAULT_MAX_POLL_INTERVAL = Duration.ofMinutes(5);

    private final Deduplicator deduplicator;
    private final Map<String, MessageIdExtractor<? super ConsumerRecord<?, ?>>> idByTopic = new HashMap<>();
    private @Nullable MessageIdExtractor<? super ConsumerRecord<?, ?>> id;
    private Duration maxPollInterval = DEFAULT_MAX_POLL_INTERVAL;
    private Duration retryDelay = Duration.ofSeconds(1);
    private Duration longestRetryDelay = Duration.ofMinutes(1);
    private int attempts;
    private @Nullable GiveUp giveUp;
    private @Nullable ConsumerRebalanceListener listener;

    DedupPollBuilder(Deduplicator deduplicator) {
        this.deduplicator = deduplicator;
    }

    /** Sets how to find the business ID in records of all topics without a setting of their own. */
    public DedupPollBuilder id(MessageIdExtractor<? super ConsumerRecord<?, ?>> extractor) {
        id = Objects.requireNonNull(extractor, "extractor");
        return this;
    }

    /** Sets how to find the business ID in records of one topic. */
    public DedupPollBuilder id(String topic, MessageIdExtractor<? super ConsumerRecord<?, ?>> extractor) {
        idByTopic.put(Objects.requireNonNull(topic, "topic"), Objects.requireNonNull(extractor, "extractor"));
        return this;
    }

    /**
     * Sets the consumer's {@code max.poll.interval.ms}, if you have changed it (5 minutes by default). Once half of it
     * has passed in a poll, its remaining records are fetched again with the next poll. A store that does not answer
     * may take a quarter of it.
     */
    public DedupPollBuilder maxPollInterval(Duration value) {
        maxPollInterval = positive("maxPollInterval", value);
        return this;
    }

    /**
     * Sets the delay before a record whose handler has failed is delivered again. The delay doubles with each failure
     * of the same record, from {@code first} to {@code longest} (1 second to 1 minute by default). Meanwhile the
     * record's partition waits. Attempts are counted by this object: if the partition moves to another consumer, they
     * start again.
     */
    public DedupPollBuilder retryDelay(Duration first, Duration longest) {
        retryDelay = positive("retryDelay first", first);
        longestRetryDelay = positive("retryDelay longest", longest);
        if (longest.compareTo(first) < 0) {
            throw new IllegalArgumentException(
                    "retryDelay: longest (" + longest + ") must not be shorter than first (" + first + ")");
        }
        return this;
    }

    /**
     * Sets what happens to a record whose handler has failed that often, and to a record that must not run. Without
     * this setting, such a record is tried again until it succeeds, and its partition waits.
     *
     * @param attempts at least 1
     */
    public DedupPollBuilder giveUpAfter(int attempts, GiveUp callback) {
        if (attempts < 1) {
            throw new IllegalArgumentException("giveUpAfter: attempts must be at least 1, but is " + attempts);
        }
        this.attempts = attempts;
        this.giveUp = Objects.requireNonNull(callback, "callback");
        return this;
    }

    /**
     * Sets a listener that the consumer's rebalances are passed on to, within {@link DedupPoll#poll}. When it is told
     * about revoked partitions, what was handled of them is committed.
     */
    public DedupPollBuilder rebalanceListener(ConsumerRebalanceListener value) {
        listener = Objects.requireNonNull(value, "value");
        return this;
    }

    /**
     * Subscribes to topics.
     *
     * @param consumer with {@code enable.auto.commit=false} and a group; {@link DedupPoll#close} closes it
     * @throws IllegalArgumentException if a topic has no ID setting, or the consumer commits by itself or has no group
     * @throws IllegalStateException if another group reads one of the topics under the same consumer name
     */
    public <K, V> DedupPoll<K, V> open(Consumer<K, V> consumer, Collection<String> topics) {
        Loop<K, V> loop = loop(consumer, topics);
        consumer.subscribe(topics, loop.rebalances());
        return new DedupPoll<>(consumer, loop);
    }

    /**
     * Subscribes to all topics whose names match. A topic without an ID setting counts as one whose messages have no
     * ID.
     *
     * @param consumer with {@code enable.auto.commit=false} and a group; {@link DedupPoll#close} closes it
     * @throws IllegalArgumentException if the consumer commits by itself or has no group
     */
    public <K, V> DedupPoll<K, V> open(Consumer<K, V> consumer, Pattern topics) {
        Loop<K, V> loop = loop(consumer, List.of());
        consumer.subscribe(topics, loop.rebalances());
        return new DedupPoll<>(consumer, loop);
    }

    /**
     * Assigns partitions to the consumer, which joins no group. It commits offsets in the group that its settings name.
     *
     * @param consumer with {@code enable.auto.commit=false} and a group; {@link DedupPoll#close} closes it
     * @throws IllegalArgumentException if a topic has no ID setting, or the consumer commits by itself or has no group
     * @throws IllegalStateException if another group reads one of the topics under the same consumer name
     */
    public <K, V> DedupPoll<K, V> openAssigned(Consumer<K, V> consumer, Collection<TopicPartition> partitions) {
        Loop<K, V> loop = loop(
                consumer,
                partitions.stream().map(TopicPartition::topic).distinct().toList());
        consumer.assign(partitions);
        loop.assigned(partitions);
        return new DedupPoll<>(consumer, loop);
    }

    private <K, V> Loop<K, V> loop(Consumer<K, V> consumer, Collection<String> topics) {
        KafkaDeliveries deliveries =
                new KafkaDeliveries(new DeliveryFactory<>(deduplicator::topic, id, idByTopic), log);
        for (String topic : topics) {
            if (!deliveries.factory().knows(topic)) {
                throw new IllegalArgumentException("No ID is set for topic " + topic
                        + ". Call id(extractor), for example id(KafkaMessageIds.header(\"order-id\"))");
            }
        }
        ConsumerCheck.requireNoAutoCommit(consumer);
        DedupAdapter engine = DedupAdapter.of(deduplicator);
        ConsumerGroup group = new ConsumerGroup(ConsumerCheck.groupOf(consumer), engine);
        topics.forEach(group::require);
        GiveUp taker = giveUp;
        Retries retries = new Retries(retryDelay, longestRetryDelay, attempts, taker == null ? null : taker::giveUp);
        return new Loop<>(consumer, engine, group, deliveries, retries, maxPollInterval, listener);
    }

    private static Duration positive(String setting, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(setting + " must be positive, but is " + value);
        }
        return value;
    }
}
