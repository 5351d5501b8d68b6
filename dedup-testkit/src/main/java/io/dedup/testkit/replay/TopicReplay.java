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
 * Brings messages of one topic to a running application's consumer group again, waits until everything is consumed, and
 * reports what became of each. See {@link io.dedup.testkit.kafka.KafkaReplay} and {@link
 * io.dedup.testkit.rocketmq.RocketMqReplay} for how to make one.
 *
 * <pre>{@code
 * ReplayReport report = replay.all().times(3).shuffled(42).bySendingAgain();
 * report.assertThat().handledOncePerId().ackedDuplicates();
 * }</pre>
 *
 * <p>For one thread, which is blocked while a replay runs. Close it after the test.
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
     * A replay of a broker's topic.
     *
     * @param timeline of the application's deduplicator, or an empty one
     * @param consumer the deduplicator's consumer name; null for the group's name
     * @param effects the IDs that took effect, one entry for each time, asked for on threads of its own, since a transaction
     *     of the test's may not see what handlers do; null when only the timeline is to tell
     * @param atMost how long the application may take to consume everything
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
     * IDs that must have taken effect, and that are waited for if they aren't on the topic yet; adds to those of earlier
     * calls.
     */
    public TopicReplay expect(Collection<String> ids) {
        expected.addAll(ids);
        return this;
    }

    /** Everything that is on the topic when the replay begins. */
    public Replay all() {
        return replay("all", true, any -> true);
    }

    /** All copies of these IDs. */
    public Replay ids(String... chosen) {
        Set<String> wanted = Set.of(chosen);
        return replay(wanted.size() + " IDs", false, message -> message.id() != null && wanted.contains(message.id()));
    }

    /** What was sent at this time or later. */
    public Replay since(Instant from) {
        return replay("since " + from, true, message -> !message.sentAt().isBefore(from));
    }

    /** What was sent between two times, the second one excluded. */
    public Replay between(Instant from, Instant to) {
        return replay(
                "from " + from + " to " + to,
                false,
                message -> !message.sentAt().isBefore(from) && message.sentAt().isBefore(to));
    }

    /** What a partition holds at this offset or behind it. */
    public Replay offsets(int partition, long from) {
        return replay(
                "partition " + partition + " from offset " + from,
                true,
                message -> message.partition() == partition && message.offset() >= from);
    }

    /** What a partition holds from one offset to another, the second one excluded. */
    public Replay offsets(int partition, long from, long to) {
        return replay(
                "partition " + partition + ", offsets " + from + " to " + to,
                false,
                message -> message.partition() == partition && message.offset() >= from && message.offset() < to);
    }

    /** Those that a test looks at itself; for {@link Replay#bySendingAgain()}. */
    public Replay matching(Predicate<TopicMessage> which) {
        return replay("those that match", false, which);
    }

    private Replay replay(String what, boolean rewindable, Predicate<TopicMessage> which) {
        return new Replay(this, what, rewindable, which, 1, null, null);
    }

    /** Waits until everything on the topic is consumed, and reports, without bringing anything again. */
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

    /** By ID; null where effects weren't given. */
    @Nullable
    Map<String, Integer> countEffects() {
        return EarlyAcks.count(effects);
    }

    ReplayReport reportOn(List<TopicMessage> messages) {
        return new ReplayReport(consumer, broker.topic(), messages, countEffects(), expected, early.found(), timeline);
    }

    /** Frees the replay's own clients. */
    @Override
    public void close() {
        broker.close();
    }
}
