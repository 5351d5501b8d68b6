package io.dedup.testkit.plan;

import io.dedup.testkit.replay.TopicMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What this JVM has observed of a plan: messages sent, acknowledgments, effects and faults, with their times.
 * Thread-safe.
 */
final class History {
    /**
     * A fault.
     *
     * @param to the same as {@code from} if it was over at once
     */
    record Happening(String name, Instant from, Instant to, String what) {}

    private final List<TopicMessage> sent = new ArrayList<>();
    private final Map<String, Instant> acked = new HashMap<>();
    private final Map<String, List<Instant>> effects = new HashMap<>();
    private final Map<String, String> early = new HashMap<>();
    private final List<Happening> happenings = new ArrayList<>();
    private final Map<Fault, Integer> withoutWork = new EnumMap<>(Fault.class);
    private @Nullable Fault brokenOff;

    /** What has been observed so far. */
    synchronized History copy() {
        History copy = new History();
        copy.sent.addAll(sent);
        copy.acked.putAll(acked);
        effects.forEach((id, seen) -> copy.effects.put(id, List.copyOf(seen)));
        copy.early.putAll(early);
        copy.happenings.addAll(happenings);
        copy.withoutWork.putAll(withoutWork);
        copy.brokenOff = brokenOff;
        return copy;
    }

    synchronized void sent(TopicMessage message) {
        sent.add(message);
    }

    synchronized void happened(Happening happening) {
        happenings.add(happening);
    }

    /** The group was observed to have acknowledged these messages. */
    synchronized void acked(Collection<TopicMessage> messages, Instant at) {
        messages.forEach(message -> acked.putIfAbsent(message.place(), at));
    }

    /** Each message was observed to have taken effect this often. */
    synchronized void effects(Map<String, Integer> counts, Instant at) {
        counts.forEach((id, count) -> {
            List<Instant> seen = effects.computeIfAbsent(id, any -> new ArrayList<>());
            while (seen.size() < count) {
                seen.add(at);
            }
        });
    }

    /** The message at this place was acknowledged, and hadn't taken effect when it was checked afterwards. */
    synchronized void ackedEarly(String id, String place) {
        early.putIfAbsent(id, place);
    }

    /** The fault happened while the group had no work in progress. */
    synchronized void withoutWork(Fault fault) {
        withoutWork.merge(fault, 1, Integer::sum);
    }

    synchronized Map<Fault, Integer> withoutWork() {
        return new EnumMap<>(withoutWork);
    }

    /** The group has acknowledged nothing more after this fault, so that the plan's remaining faults were omitted. */
    synchronized void brokenOff(Fault after) {
        brokenOff = after;
    }

    synchronized @Nullable Fault brokenOffAfter() {
        return brokenOff;
    }

    synchronized List<TopicMessage> sent() {
        return List.copyOf(sent);
    }

    synchronized List<Happening> happenings() {
        return List.copyOf(happenings);
    }

    /** All sent messages with an ID, copies together, in the order of the first copies. */
    synchronized Map<String, List<TopicMessage>> copies() {
        Map<String, List<TopicMessage>> copies = new LinkedHashMap<>();
        for (TopicMessage message : sent) {
            String id = message.id();
            if (id != null) {
                copies.computeIfAbsent(id, any -> new ArrayList<>()).add(message);
            }
        }
        return copies;
    }

    synchronized @Nullable Instant ackedAt(TopicMessage message) {
        return acked.get(message.place());
    }

    synchronized List<Instant> effectsOf(String id) {
        return List.copyOf(effects.getOrDefault(id, List.of()));
    }

    synchronized @Nullable String ackedEarly(String id) {
        return early.get(id);
    }
}
