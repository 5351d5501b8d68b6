package io.dedup.testkit.plan;

import io.dedup.testkit.replay.TopicMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What this JVM has seen of a plan: what was sent, acked, took effect and went wrong, and when. Thread-safe. */
final class History {
    /**
     * Something that went wrong.
     *
     * @param to the same as {@code from} where it was over at once
     */
    record Happening(String name, Instant from, Instant to, String what) {}

    private final List<TopicMessage> sent = new ArrayList<>();
    private final Map<String, Instant> acked = new HashMap<>();
    private final Map<String, List<Instant>> effects = new HashMap<>();
    private final Map<String, String> early = new HashMap<>();
    private final List<Happening> happenings = new ArrayList<>();
    private @Nullable Fault brokenOff;

    synchronized void sent(TopicMessage message) {
        sent.add(message);
    }

    synchronized void happened(Happening happening) {
        happenings.add(happening);
    }

    /** The group was seen to have acked these. */
    synchronized void acked(Collection<TopicMessage> messages, Instant at) {
        messages.forEach(message -> acked.putIfAbsent(message.place(), at));
    }

    /** So often each message had taken effect. */
    synchronized void effects(Map<String, Integer> counts, Instant at) {
        counts.forEach((id, count) -> {
            List<Instant> seen = effects.computeIfAbsent(id, any -> new ArrayList<>());
            while (seen.size() < count) {
                seen.add(at);
            }
        });
    }

    /** It was acked there, and looked for afterwards, and hadn't taken effect. */
    synchronized void ackedEarly(String id, String place) {
        early.putIfAbsent(id, place);
    }

    /** The group has acked nothing more after this fault, so that the plan's other ones didn't come. */
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

    /** Everything that was sent with an ID, copies together, by the time of the first. */
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
