package io.dedup.testkit.replay;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** Waits until a group has consumed everything, and notes what it has. */
final class Consumption {
    private static final Duration INTERVAL = Duration.ofMillis(50);

    private final TopicReplay replay;
    private final EarlyAcks early;
    private final Duration atMost;
    private final Set<String> acked = new HashSet<>();
    private List<TopicMessage> unacked = List.of();

    Consumption(TopicReplay replay, EarlyAcks early, Duration atMost) {
        this.replay = replay;
        this.early = early;
        this.atMost = atMost;
    }

    /** These are about to be read again. */
    void forget(Collection<TopicMessage> messages) {
        messages.forEach(message -> acked.remove(message.place()));
    }

    /** Until all that is on the topic now is acked. */
    ReplayReport await() {
        List<TopicMessage> messages = awaitExpected();
        try {
            Awaitility.await()
                    .pollInSameThread() // effects may be looked up in the test's transaction
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
                    Story.of(
                            "group " + Story.name(replay.broker().group()) + " hasn't acked " + unacked.size()
                                    + " messages within " + atMost + " (" + Story.places(unacked) + ")",
                            List.copyOf(ids),
                            replay.reportOn(messages)),
                    e);
        }
        return replay.reportOn(messages);
    }

    /** The topic, when it holds what is expected; or else when the time is over, for the report to say what is missing. */
    private List<TopicMessage> awaitExpected() {
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
        return missing.isEmpty();
    }

    /** Notes what is acked now; whether that is all. */
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
