package io.dedup.testkit.replay;

import io.dedup.report.DuplicationReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The result of a replay, or of {@link TopicReplay#report()}. Immutable. */
public final class ReplayReport {
    private final String consumer;
    private final String topic;
    private final Map<String, List<TopicMessage>> copies = new LinkedHashMap<>();
    private final List<TopicMessage> withoutId = new ArrayList<>();
    private final @Nullable Map<String, Integer> effects;
    private final Set<String> expected;
    private final Map<String, String> early;
    private final Map<String, List<Timeline.Event>> events = new HashMap<>();
    private final List<Timeline.Event> eventsWithoutId;
    private final boolean heard;
    private final boolean ran;
    private final Instant began;
    private final DuplicationReport duplicates;

    ReplayReport(
            String consumer,
            String topic,
            List<TopicMessage> messages,
            @Nullable Map<String, Integer> effects,
            Set<String> expected,
            Map<String, String> early,
            Timeline timeline) {
        this.consumer = consumer;
        this.topic = topic;
        for (TopicMessage message : messages) {
            if (message.id() == null) {
                withoutId.add(message);
            } else {
                copies.computeIfAbsent(message.id(), any -> new ArrayList<>()).add(message);
            }
        }
        this.effects = effects == null ? null : Map.copyOf(effects);
        this.expected = Set.copyOf(expected);
        this.early = Map.copyOf(early);
        this.duplicates = timeline.duplicates();
        this.eventsWithoutId = timeline.eventsWithoutId(consumer, topic);
        this.heard = timeline.hasHeardOf(consumer, topic);
        this.ran = timeline.hasRun(consumer, topic);
        this.began = timeline.began();
        allIds().forEach(id -> events.put(id, timeline.events(consumer, topic, id)));
    }

    /** Starts an assertion about this report. */
    public ReplayAssert assertThat() {
        return new ReplayAssert(this);
    }

    /** Returns how many duplicates the timeline has seen, and why; of all topics. */
    public DuplicationReport duplicates() {
        return duplicates;
    }

    /** The report of duplicates, to be printed. */
    @Override
    public String toString() {
        return duplicates.text();
    }

    /** Returns the IDs on the topic, in the order of their first messages. */
    public Set<String> ids() {
        return new LinkedHashSet<>(copies.keySet());
    }

    /** Returns all copies of an ID that are on the topic. */
    public List<TopicMessage> copies(String id) {
        return List.copyOf(copies.getOrDefault(id, List.of()));
    }

    /** Returns the messages whose ID is missing or unusable, so that nothing is known about them. */
    public List<TopicMessage> withoutId() {
        return List.copyOf(withoutId);
    }

    /**
     * Returns how often the message took effect: counted if {@code effects(...)} is set, otherwise according to the
     * timeline.
     */
    public int handled(String id) {
        return effects != null ? effects.getOrDefault(id, 0) : Runs.successesIn(timeline(id));
    }

    /** Returns what happened to a message, oldest first; empty without a timeline. */
    public List<Timeline.Event> timeline(String id) {
        return events.getOrDefault(id, List.of());
    }

    /** All IDs that should have been handled, on the topic or expected, and all that were. */
    Set<String> allIds() {
        Set<String> all = new LinkedHashSet<>(copies.keySet());
        all.addAll(expected);
        if (effects != null) {
            all.addAll(effects.keySet());
        }
        return all;
    }

    boolean isMissing(String id) {
        return expected.contains(id) && !copies.containsKey(id);
    }

    /**
     * Whether the message came since the timeline began, not only as a replay's copy, and no handler has run since then, for
     * this message or another one: its effect is older than the test. That some handler ran is enough, because tests may
     * mix new messages with old ones, for example with imported IDs.
     */
    boolean isOfEarlierTest(String id) {
        long came = copies(id).stream()
                .filter(copy -> !copy.sentAt().isBefore(began))
                .count();
        long replayed = timeline(id).stream()
                .filter(event -> event.kind() == Timeline.Kind.SENT_AGAIN)
                .count();
        return !ran && isKnown(id) && came > replayed;
    }

    /** The position where it was acknowledged before its effect; null if it wasn't. */
    @Nullable
    String ackedEarly(String id) {
        return early.get(id);
    }

    boolean countsEffects() {
        return effects != null;
    }

    /** What happened to messages in which the deduplicator found no usable ID, though the replay may have. */
    List<Timeline.Event> eventsWithoutId() {
        return eventsWithoutId;
    }

    /** Whether a deduplicator has reported anything about the message. */
    boolean isKnown(String id) {
        return timeline(id).stream().anyMatch(event -> event.kind().isReported());
    }

    /** Whether the message was sent again or rewound, and no deduplicator has reported anything about it since. */
    boolean isUnheard(String id) {
        boolean unheard = false;
        for (Timeline.Event event : timeline(id)) {
            unheard = event.kind() == Timeline.Kind.SENT_AGAIN
                    || event.kind() == Timeline.Kind.REWOUND
                    || (unheard && !event.kind().isReported());
        }
        return unheard;
    }

    boolean hasHeard() {
        return heard;
    }

    String consumer() {
        return consumer;
    }

    String topic() {
        return topic;
    }
}
