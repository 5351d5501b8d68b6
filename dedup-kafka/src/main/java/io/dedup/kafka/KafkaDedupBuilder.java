package io.dedup.kafka;

import io.dedup.Deduplicator;
import io.dedup.ResultCodec;
import io.dedup.adapter.DedupAdapter;
import io.dedup.id.MessageIdExtractor;
import io.dedup.kafka.internal.container.ContainerDecorator;
import io.dedup.kafka.internal.record.RecordDeliveries;
import io.dedup.kafka.internal.record.TopicRoles;
import io.dedup.kafka.internal.record.TopicRoles.Role;
import io.dedup.kafka.internal.reply.Replies;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link KafkaDedup}: where the business ID is, for all topics or for single ones. Not thread-safe. */
public final class KafkaDedupBuilder {
    private static final int DEFAULT_MAX_UNFINISHED = 10_000;

    private final Deduplicator deduplicator;
    private final Map<String, MessageIdExtractor<? super ConsumerRecord<?, ?>>> byTopic = new HashMap<>();
    private final Map<String, Role> roles = new HashMap<>();
    private final Map<String, ResultCodec<?>> repliesByTopic = new HashMap<>();
    private @Nullable MessageIdExtractor<? super ConsumerRecord<?, ?>> byDefault;
    private boolean claimAhead = true;
    private int maxUnfinished = DEFAULT_MAX_UNFINISHED;
    private @Nullable ResultCodec<?> replyByDefault;

    KafkaDedupBuilder(Deduplicator deduplicator) {
        this.deduplicator = Objects.requireNonNull(deduplicator, "deduplicator");
    }

    /** Finds the ID in the records of all topics that have no extractor of their own; see {@link KafkaMessageIds}. */
    public KafkaDedupBuilder id(MessageIdExtractor<? super ConsumerRecord<?, ?>> extractor) {
        if (byDefault != null) {
            throw new IllegalArgumentException("id: the default extractor is set twice");
        }
        byDefault = Objects.requireNonNull(extractor, "id");
        return this;
    }

    /** Finds the ID in the records of one topic. */
    public KafkaDedupBuilder id(String topic, MessageIdExtractor<? super ConsumerRecord<?, ?>> extractor) {
        if (byTopic.putIfAbsent(topic, Objects.requireNonNull(extractor, "id")) != null) {
            throw new IllegalArgumentException("id: the extractor of topic " + topic + " is set twice");
        }
        return this;
    }

    /**
     * Keeps what record listeners with {@code @SendTo} return, for all topics that have no codec of their own: a duplicate
     * request is answered with it, by its own reply topic and correlation ID, without calling the handler.
     *
     * <p>A result that is larger than the policy's {@code maxResultBytes}, or that the codec can't encode, isn't kept: its
     * duplicates get no reply, and {@code DedupListener.resultNotKept} is told.
     *
     * @param codec of the type that the methods return; called by any thread. See {@link ResultCodec#utf8} and
     *     {@link KafkaResults}
     */
    public KafkaDedupBuilder reply(ResultCodec<?> codec) {
        if (replyByDefault != null) {
            throw new IllegalArgumentException("reply: the default codec is set twice");
        }
        replyByDefault = Objects.requireNonNull(codec, "reply");
        return this;
    }

    /** The same for the requests of one topic. */
    public KafkaDedupBuilder reply(String topic, ResultCodec<?> codec) {
        if (repliesByTopic.putIfAbsent(topic, Objects.requireNonNull(codec, "reply")) != null) {
            throw new IllegalArgumentException("reply: the codec of topic " + topic + " is set twice");
        }
        return this;
    }

    /**
     * A dead-letter topic: its records are handled once each, by their coordinates, with the policy of the topic whose dead
     * letters they are. The same message may be dead-lettered again later, and is handled again then. Not needed for
     * {@code @RetryableTopic} with a {@link KafkaDedupInstaller}, which knows its topics.
     */
    public KafkaDedupBuilder deadLetterTopic(String topic, String of) {
        return role(topic, new Role(of, true), "deadLetterTopic");
    }

    /**
     * A topic on which messages of another one are tried again: they are the same messages, with the same ID extractor and
     * the same policy. Not needed for {@code @RetryableTopic} with a {@link KafkaDedupInstaller}, which knows its topics.
     */
    public KafkaDedupBuilder retryTopic(String topic, String of) {
        return role(topic, new Role(of, false), "retryTopic");
    }

    /**
     * Whether record listeners' records are claimed a poll at a time, and their successes told to the store many at a time,
     * before any offset beyond them is committed; true by default. Without it each record takes two round trips. What a crash
     * leaves handled but not done is at most what was handled in the last 10 ms before it, or 50 records, or what the store was
     * being told.
     */
    public KafkaDedupBuilder claimAhead(boolean ahead) {
        claimAhead = ahead;
        return this;
    }

    /**
     * How many records of a partition a consumer gives to handlers from the first unfinished one on; 10,000 by default. It
     * matters where a record is done later than its listener returns: with a returned future, {@code asyncAcks}, or a manual
     * acknowledgment. At this number the consumer holds the partition, with a warning, and goes on with its other partitions.
     * The partition goes on when the first unfinished record is finished. Once that one has run for longer than
     * {@code maxProcessingTime} and its lease is over, it is delivered again instead.
     *
     * <p>A handler that acknowledges the last of many records for all of them needs a limit above their number. A batch
     * listener may be given one poll more.
     *
     * @throws IllegalArgumentException when it is below 1
     */
    public KafkaDedupBuilder maxUnfinishedPerPartition(int records) {
        if (records < 1) {
            throw new IllegalArgumentException("maxUnfinishedPerPartition must be at least 1, but is " + records);
        }
        maxUnfinished = records;
        return this;
    }

    private KafkaDedupBuilder role(String topic, Role role, String setting) {
        if (topic.equals(role.of())) {
            throw new IllegalArgumentException(setting + ": topic " + topic + " can't be its own");
        }
        if (roles.putIfAbsent(topic, role) != null) {
            throw new IllegalArgumentException(setting + ": the role of topic " + topic + " is set twice");
        }
        return this;
    }

    /**
     * The decorator, with its timer.
     *
     * @throws IllegalArgumentException when there is no extractor at all
     */
    public KafkaDedup build() {
        if (byDefault == null && byTopic.isEmpty()) {
            throw new IllegalArgumentException(
                    "id must be set: nothing tells where the message ID is; see KafkaMessageIds");
        }
        DedupAdapter engine = DedupAdapter.of(deduplicator);
        RecordDeliveries deliveries = new RecordDeliveries(deduplicator, byDefault, byTopic, new TopicRoles(roles));
        Replies replies = new Replies(repliesByTopic, replyByDefault, engine.results());
        return new KafkaDedup(
                engine, deliveries, new ContainerDecorator(engine, deliveries, claimAhead, maxUnfinished, replies));
    }
}
