package io.dedup.testkit.replay;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Replays messages of one topic to a running application's consumer group, waits until everything is consumed, and reports
 * what happened to each message. {@link io.dedup.testkit.kafka.KafkaReplay} and
 * {@link io.dedup.testkit.rocketmq.RocketMqReplay} create one.
 *
 * <pre>{@code
 * ReplayReport report = replay.all().times(3).shuffled(42).bySendingAgain();
 * report.assertThat().handledOncePerId().ackedDuplicates();
 * }</pre>
 *
 * <p>Not thread-safe: used by one thread, which a replay blocks. Close it after the test.
 */
public final class TopicReplay implements AutoCloseable {
    private final BrokerTopic broker;
    private final Timeline timeline;
    private final String consumer;
    private final @Nullable Supplier<? extends Collection<String>> effects;
    private final Set<String> expected = new HashSet<>();
    private final EarlyAcks early;
    private final Consumption consumption;

    /**
     * Creates a replay of a broker's topic.
     *
     * @param timeline of the application's deduplicator, or an empty one
     * @param consumer the deduplicator's consumer name; null for the group's name
     * @param effects returns the IDs that took effect, one entry for each time; called on separate threads, because the
     *     test's own transaction may not see what handlers write; null to use the timeline only
     * @param atMost how long the application may take to consume everything
     * @throws IllegalArgumentException when {@code atMost} isn't positive
     */
    public TopicReplay(
            BrokerTopic broker,
            Timeline timeline,
            @Nullable String consumer,
            @Nullable Supplier<? extends Collection<String>> effects,
            Duration atMost) {
        this.broker = Objects.requireNonNull(broker, "broker");
        this.timeline = Objects.requireNonNull(timeline, "timeline");
        this.consumer = consumer == null ? broker.group() : consumer;
        this.effects = effects;
        if (atMost.isNegative() || atMost.isZero()) {
            throw new IllegalArgumentException("atMost must be positive, but is " + atMost);
        }
        this.early = new EarlyAcks(effects);
        this.consumption = new Consumption(this, early, atMost);
    }

    /**
     * Adds IDs that must take effect. If they aren't on the topic yet, replays wait for them before they choose messages,
     * and reports before they are made.
     */
    public TopicReplay expect(Collection<String> ids) {
        expected.addAll(ids);
        return this;
    }

    /** Chooses everything that is on the topic when the replay starts. */
    public Replay all() {
        return replay("all", true, any -> true);
    }

    /** Chooses all copies of these IDs. */
    public Replay ids(String... chosen) {
        Set<String> wanted = Set.of(chosen);
        return replay(wanted.size() + " IDs", false, message -> message.id() != null && wanted.contains(message.id()));
    }

    /** Chooses messages that were sent at this time or later. */
    public Replay since(Instant from) {
        return replay("since " + from, true, message -> !message.sentAt().isBefore(from));
    }

    /** Chooses messages that were sent between two times, excluding the second. */
    public Replay between(Instant from, Instant to) {
        return replay(
                "from " + from + " to " + to,
                false,
                message -> !message.sentAt().isBefore(from) && message.sentAt().isBefore(to));
    }

    /** Chooses the messages of a partition from this offset on. */
    public Replay offsets(int partition, long from) {
        return replay(
                "partition " + partition + " from offset " + from,
                true,
                message -> message.partition() == partition && message.offset() >= from);
    }

    /** Chooses the messages of a partition between two offsets, excluding the second. */
    public Replay offsets(int partition, long from, long to) {
        return replay(
                "partition " + partition + ", offsets " + from + " to " + to,
                false,
                message -> message.partition() == partition && message.offset() >= from && message.offset() < to);
    }

    /** Chooses the messages that match; for {@link Replay#bySendingAgain()}. */
    public Replay matching(Predicate<TopicMessage> which) {
        return replay("messages that match", false, which);
    }

    private Replay replay(String what, boolean rewindable, Predicate<TopicMessage> which) {
        return new Replay(this, what, rewindable, which, 1, null, null);
    }

    /**
     * Waits until everything on the topic is consumed, and reports, without replaying anything.
     *
     * @throws AssertionError when the application doesn't consume everything in time
     */
    public ReplayReport report() {
        return consumption.await();
    }

    BrokerTopic broker() {
        return broker;
    }

    void note(TopicMessage message, Timeline.Kind kind, String detail, String by) {
        if (message.id() != null) {
            timeline.note(consumer, broker.topic(), message.id(), kind, detail, by);
        }
    }

    Consumption consumption() {
        return consumption;
    }

    Set<String> expected() {
        return expected;
    }

    /** By ID; null if effects aren't counted. */
    @Nullable
    Map<String, Integer> countEffects() {
        return EarlyAcks.count(effects);
    }

    /** @param counts of effects, as {@link #countEffects()} returns them */
    Timeline.Progress progress(@Nullable Map<String, Integer> counts) {
        return timeline.progress(consumer, broker.topic(), counts);
    }

    ReplayReport reportOn(List<TopicMessage> messages) {
        return new ReplayReport(consumer, broker.topic(), messages, countEffects(), expected, early.found(), timeline);
    }

    /** Closes the replay's own clients. */
    @Override
    public void close() {
        broker.close();
    }
}
