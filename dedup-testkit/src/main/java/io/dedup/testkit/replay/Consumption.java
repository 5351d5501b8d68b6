package io.dedup.testkit.replay;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/** Waits until a group has consumed everything, and records its acknowledgments. */
final class Consumption {
    private static final Duration INTERVAL = Duration.ofMillis(50);
    /** Effects are final when no run is open, and neither an effect nor an event has appeared for this long. */
    private static final Duration SETTLED = Duration.ofMillis(500);

    private final TopicReplay replay;
    private final EarlyAcks early;
    private final Duration atMost;
    private final Set<String> acked = new HashSet<>();
    private final Map<@Nullable String, Integer> awaitedCopies = new HashMap<>();
    private Set<String> before = Set.of();
    private List<TopicMessage> unacked = List.of();

    Consumption(TopicReplay replay, EarlyAcks early, Duration atMost) {
        this.replay = replay;
        this.early = early;
        this.atMost = atMost;
    }

    /** These messages are about to be read again. */
    void forget(Collection<TopicMessage> messages) {
        messages.forEach(message -> acked.remove(message.place()));
    }

    /**
     * These messages are about to be sent again. A broker may show them late, or, behind an open transaction, not at
     * all; messages that aren't visible cannot be waited for.
     */
    void awaitCopies(Collection<TopicMessage> onTopic, Collection<TopicMessage> copies) {
        before = places(onTopic);
        awaitedCopies.clear();
        copies.forEach(copy -> awaitedCopies.merge(copy.id(), 1, Integer::sum));
    }

    private static Set<String> places(Collection<TopicMessage> messages) {
        return messages.stream().map(TopicMessage::place).collect(Collectors.toSet());
    }

    /** Waits until everything that is on the topic now is acknowledged, and effects are final. */
    ReplayReport await() {
        List<TopicMessage> messages = awaitExpected();
        int missing = copiesMissingFrom(messages);
        awaitedCopies.clear(); // seen once, they may disappear like other old messages
        if (missing > 0) {
            throw new AssertionError(missing + " of the copies that were sent could not be read from topic "
                    + replay.broker().topic() + " within " + atMost
                    + ". An open transaction of a producer on that topic may hide them");
        }
        try {
            Awaitility.await()
                    .pollInSameThread()
                    .atMost(atMost)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(INTERVAL)
                    .until(() -> look(messages));
        } catch (ConditionTimeoutException e) {
            Set<String> ids = unacked.stream()
                    .map(TopicMessage::id)
                    .filter(Objects::nonNull)
                    .collect(Collectors.toCollection(LinkedHashSet::new));
            throw new AssertionError(
                    FailureText.of(
                            "Group " + FailureText.name(replay.broker().group()) + " has not acknowledged "
                                    + unacked.size() + " messages within " + atMost + " ("
                                    + FailureText.places(unacked) + ")",
                            List.copyOf(ids),
                            replay.reportOn(messages)),
                    e);
        }
        awaitSettled();
        return replay.reportOn(messages);
    }

    /**
     * A listener that acknowledges first and works later, or a run that has lost its lease, may take effect after
     * everything is acknowledged. Without effects(...), the timeline alone says so.
     */
    private void awaitSettled() {
        Map<String, Integer> counts = replay.countEffects();
        Timeline.Progress progress = replay.progress(counts);
        long since = System.nanoTime();
        long begin = since;
        while ((progress.runs() || System.nanoTime() - since < SETTLED.toNanos())
                && System.nanoTime() - begin < atMost.toNanos()) {
            LockSupport.parkNanos(INTERVAL.toNanos());
            Map<String, Integer> countsNow = replay.countEffects();
            Timeline.Progress progressNow = replay.progress(countsNow);
            if (!Objects.equals(counts, countsNow) || !progress.equals(progressNow)) {
                counts = countsNow;
                progress = progressNow;
                since = System.nanoTime();
            }
        }
    }

    private int copiesMissingFrom(List<TopicMessage> messages) {
        Map<@Nullable String, Integer> missing = new HashMap<>(awaitedCopies);
        messages.stream()
                .filter(message -> !before.contains(message.place()))
                .forEach(message -> missing.computeIfPresent(message.id(), (id, count) -> Math.max(0, count - 1)));
        return missing.values().stream().mapToInt(count -> count).sum();
    }

    /**
     * Returns the topic's messages as soon as all expected ones are among them, or when the time is over; then the
     * report lists the missing ones. A replay that chose before that would pass over what comes late.
     */
    List<TopicMessage> awaitExpected() {
        try {
            return Awaitility.await()
                    .pollInSameThread()
                    .atMost(atMost)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(INTERVAL)
                    .until(replay.broker()::messages, this::holdsExpected);
        } catch (ConditionTimeoutException e) {
            return replay.broker().messages();
        }
    }

    private boolean holdsExpected(List<TopicMessage> messages) {
        Set<String> missing = new HashSet<>(replay.expected());
        messages.forEach(message -> missing.remove(message.id()));
        return missing.isEmpty() && copiesMissingFrom(messages) == 0;
    }

    /** Records the current acknowledgments, and returns whether everything is acknowledged. */
    boolean look(List<TopicMessage> messages) {
        unacked = replay.broker().unacked(messages);
        Set<String> open = unacked.stream().map(TopicMessage::place).collect(Collectors.toSet());
        List<TopicMessage> seen = messages.stream()
                .filter(message -> !open.contains(message.place()))
                .toList();
        early.look(seen);
        for (TopicMessage message : seen) {
            if (acked.add(message.place())) {
                replay.note(
                        message,
                        Timeline.Kind.ACKED,
                        message.place(),
                        "group " + replay.broker().group());
            }
        }
        return unacked.isEmpty();
    }
}
