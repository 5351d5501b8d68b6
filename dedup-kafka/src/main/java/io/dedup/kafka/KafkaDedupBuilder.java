package io.dedup.kafka;

import io.dedup.Deduplicator;
import io.dedup.ResultCodec;
import io.dedup.adapter.DedupAdapter;
import io.dedup.id.MessageIdExtractor;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.kafka.internal.container.ContainerDecorator;
import io.dedup.kafka.internal.record.RecordDeliveries;
import io.dedup.kafka.internal.record.TopicRoles;
import io.dedup.kafka.internal.record.TopicRoles.Role;
import io.dedup.kafka.internal.reply.Replies;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Configures a {@link KafkaDedup}: where records carry the message ID, for all topics or for single ones. At least one
 * {@code id} is required. Not thread-safe.
 */
public final class KafkaDedupBuilder {
    private static final int DEFAULT_MAX_UNFINISHED = 10_000;

    private final Deduplicator deduplicator;
    private final Map<String, MessageIdExtractor<? super ConsumerRecord<?, ?>>> byTopic = new HashMap<>();
    private final Map<String, Role> roles = new HashMap<>();
    private final Map<String, ResultCodec<?>> repliesByTopic = new HashMap<>();
    private @Nullable MessageIdExtractor<? super ConsumerRecord<?, ?>> byDefault;
    private MessageIdExtractor<ConsumerRecord<?, ?>> coordinates = KafkaMessageIds.coordinates();
    private boolean claimAhead = true;
    private int maxUnfinished = DEFAULT_MAX_UNFINISHED;
    private @Nullable ResultCodec<?> replyByDefault;
    private Function<Map<String, Object>, Admin> adminClient = Admin::create;

    KafkaDedupBuilder(Deduplicator deduplicator) {
        this.deduplicator = Objects.requireNonNull(deduplicator, "deduplicator");
    }

    /**
     * Sets the ID extractor for all topics that have none of their own; see {@link KafkaMessageIds}.
     *
     * @throws IllegalArgumentException when it is set twice
     */
    public KafkaDedupBuilder id(MessageIdExtractor<? super ConsumerRecord<?, ?>> extractor) {
        if (byDefault != null) {
            throw new IllegalArgumentException("id(extractor) was called twice");
        }
        byDefault = Objects.requireNonNull(extractor, "id");
        return this;
    }

    /**
     * Sets the ID extractor for one topic.
     *
     * @throws IllegalArgumentException when it is set twice for this topic
     */
    public KafkaDedupBuilder id(String topic, MessageIdExtractor<? super ConsumerRecord<?, ?>> extractor) {
        if (byTopic.putIfAbsent(topic, Objects.requireNonNull(extractor, "id")) != null) {
            throw new IllegalArgumentException("id(topic, extractor) was called twice for topic " + topic);
        }
        return this;
    }

    /**
     * Stores what record listeners with {@code @SendTo} return, for all topics that have no codec of their own. A
     * duplicate request is answered with the stored result, to the duplicate's own reply topic and correlation ID,
     * without calling the handler.
     *
     * <p>A result that is larger than the policy's {@code maxResultBytes}, or that the codec cannot encode, isn't
     * stored: duplicates of that request get no reply, and {@code DedupListener.resultNotKept} is called.
     *
     * @param codec for the type that the methods return; called by any thread. See {@link ResultCodec#utf8} and
     *     {@link KafkaResults}
     * @throws IllegalArgumentException when it is set twice
     */
    public KafkaDedupBuilder reply(ResultCodec<?> codec) {
        if (replyByDefault != null) {
            throw new IllegalArgumentException("reply(codec) was called twice");
        }
        replyByDefault = Objects.requireNonNull(codec, "reply");
        return this;
    }

    /**
     * As {@link #reply(ResultCodec)}, for the requests of one topic.
     *
     * @throws IllegalArgumentException when it is set twice for this topic
     */
    public KafkaDedupBuilder reply(String topic, ResultCodec<?> codec) {
        if (repliesByTopic.putIfAbsent(topic, Objects.requireNonNull(codec, "reply")) != null) {
            throw new IllegalArgumentException("reply(topic, codec) was called twice for topic " + topic);
        }
        return this;
    }

    /**
     * Declares a dead-letter topic. Each of its records is handled once, identified by
     * {@link KafkaMessageIds#coordinates()}, with the policy of the topic {@code of} that its records come from. If the
     * same message is dead-lettered again later, the new record is handled again. Not needed for {@code @RetryableTopic} with a
     * {@link KafkaDedupInstaller}, which finds these topics itself.
     *
     * @throws IllegalArgumentException when the topic has a role already, or is its own dead-letter topic
     */
    public KafkaDedupBuilder deadLetterTopic(String topic, String of) {
        return role(topic, new Role(of, true), "deadLetterTopic");
    }

    /**
     * Identifies dead letters from before this time without a mark, as versions did whose records are in the store; see
     * {@link KafkaMessageIds#coordinatesMarkedSince}. By default all have one.
     */
    public KafkaDedupBuilder coordinatesMarkedSince(Instant upgraded) {
        coordinates = KafkaMessageIds.coordinatesMarkedSince(upgraded);
        return this;
    }

    /**
     * Declares a topic on which messages of the topic {@code of} are retried. They are the same messages, with the same
     * ID extractor and the same policy. Not needed for {@code @RetryableTopic} with a {@link KafkaDedupInstaller},
     * which finds these topics itself.
     *
     * @throws IllegalArgumentException when the topic has a role already, or is its own retry topic
     */
    public KafkaDedupBuilder retryTopic(String topic, String of) {
        return role(topic, new Role(of, false), "retryTopic");
    }

    /**
     * Whether the records of a poll are claimed with one call to the store, and successes are recorded many at a time,
     * always before an offset beyond them is committed; true by default. Applies to record listeners. If false, each
     * record takes two calls. If the process crashes, the messages whose success wasn't recorded yet are handled again:
     * at most those of the last 10 ms, or 50, plus those of a call to the store that hasn't returned.
     */
    public KafkaDedupBuilder claimAhead(boolean ahead) {
        claimAhead = ahead;
        return this;
    }

    /**
     * The maximum number of records that are delivered to handlers from the first unfinished record of a partition on;
     * 10,000 by default. It matters for listeners whose records are finished after the listener returns: with a
     * returned future, {@code asyncAcks} or a manual acknowledgment. At the limit, the consumer holds the partition,
     * logs a warning and continues with its other partitions. The partition continues when its first unfinished record
     * is finished. If that record runs for longer than {@code maxProcessingTime} and its lease has expired, it is
     * delivered again instead.
     *
     * <p>A handler that acknowledges many records by acknowledging the last one needs a limit above their number. A
     * batch listener may receive up to one poll more than the limit.
     *
     * @throws IllegalArgumentException when it is less than 1
     */
    public KafkaDedupBuilder maxUnfinishedPerPartition(int records) {
        if (records < 1) {
            throw new IllegalArgumentException("maxUnfinishedPerPartition must be at least 1, but is " + records);
        }
        maxUnfinished = records;
        return this;
    }

    /**
     * Sets how an admin client is made. It asks how a Kafka transaction ended whose commit got no answer, if the consumer has lost the
     * partition or has stopped before it could ask; and how often the brokers deliver a record of a share group. By default it connects with the settings of the container's consumers, which the
     * function gets.
     */
    public KafkaDedupBuilder adminClient(Function<Map<String, Object>, Admin> client) {
        adminClient = Objects.requireNonNull(client, "adminClient");
        return this;
    }

    private KafkaDedupBuilder role(String topic, Role role, String setting) {
        if (topic.equals(role.of())) {
            throw new IllegalArgumentException(setting + ": topic " + topic + " was given as its own "
                    + (role.deadLetter() ? "dead-letter" : "retry") + " topic");
        }
        if (roles.putIfAbsent(topic, role) != null) {
            throw new IllegalArgumentException(
                    setting + ": topic " + topic + " has been declared as a retry or dead-letter topic before");
        }
        return this;
    }

    /**
     * Creates the {@link KafkaDedup} and starts its timer.
     *
     * @throws IllegalArgumentException when no ID extractor is set
     */
    public KafkaDedup build() {
        if (byDefault == null && byTopic.isEmpty()) {
            throw new IllegalArgumentException(
                    "No message ID extractor is set: call id(extractor) or id(topic, extractor); see KafkaMessageIds");
        }
        DedupAdapter engine = DedupAdapter.of(deduplicator);
        RecordDeliveries deliveries =
                new RecordDeliveries(deduplicator, byDefault, byTopic, new TopicRoles(roles), coordinates);
        Replies replies = new Replies(repliesByTopic, replyByDefault, engine.results());
        return new KafkaDedup(
                engine,
                deliveries,
                new ContainerDecorator(engine, deliveries, claimAhead, maxUnfinished, replies, adminClient),
                adminClient);
    }
}
