package io.dedup.testkit.plan;

import io.dedup.testkit.replay.TopicMessage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is known after a fault plan. Immutable. */
public final class FaultReport {
    private final PlanSettings settings;
    private final String traffic;
    private final History history;
    private final Map<String, List<TopicMessage>> copies;
    private final Map<String, Integer> effects;
    private final Map<String, String> unacked = new HashMap<>();
    private final Set<String> givenUp = new HashSet<>();
    private final Duration took;
    private final @Nullable Path logs;
    private final Duration atMost;

    FaultReport(
            PlanSettings settings,
            Traffic traffic,
            History history,
            Observer.Look last,
            Duration took,
            @Nullable Path logs,
            Duration atMost) {
        this.settings = settings;
        this.traffic = traffic.description();
        this.history = history;
        this.copies = history.copies();
        this.effects = last.effects();
        for (TopicMessage message : last.unacked()) {
            if (message.id() != null) {
                unacked.putIfAbsent(message.id(), message.place());
            }
        }
        for (TopicMessage message : traffic.deadLetters()) {
            if (message.id() != null) {
                givenUp.add(message.id());
            }
        }
        this.took = took;
        this.logs = logs;
        this.atMost = atMost;
    }

    /** The beginning of an assertion. */
    public FaultReportAssert assertThat() {
        return new FaultReportAssert(this);
    }

    /** The IDs of the messages, by the time they were first sent. */
    public List<String> ids() {
        return List.copyOf(copies.keySet());
    }

    /** How often the message took effect. */
    public int handled(String id) {
        return effects.getOrDefault(id, 0);
    }

    /** Those that were acked, without an effect, and aren't among the dead letters. */
    public List<String> lost() {
        return copies.keySet().stream()
                .filter(id -> handled(id) == 0 && !unacked.containsKey(id) && !givenUp.contains(id))
                .toList();
    }

    /** Those that took effect more than once. */
    public List<String> doubled() {
        return copies.keySet().stream().filter(id -> handled(id) > 1).toList();
    }

    /** Those that are among the dead letters and took no effect. */
    public List<String> givenUp() {
        return copies.keySet().stream()
                .filter(id -> handled(id) == 0 && givenUp.contains(id))
                .toList();
    }

    /** Those of which a copy wasn't acked in time. */
    public List<String> unacked() {
        return copies.keySet().stream().filter(unacked::containsKey).toList();
    }

    /** Those that were acked when their effect wasn't there, though it came later. */
    public List<String> ackedEarly() {
        return copies.keySet().stream()
                .filter(id -> handled(id) > 0 && history.ackedEarly(id) != null && !givenUp.contains(id))
                .toList();
    }

    /** What happened to a message, a line each: where it was sent, the faults meanwhile, its acks, its effects. */
    public List<String> timeLine(String id) {
        return TimeLine.of(copies.getOrDefault(id, List.of()), history.effectsOf(id), history);
    }

    /** The faults, a line each. */
    public List<String> faults() {
        return TimeLine.of(history.happenings());
    }

    /** The seed, which makes the same plan again. */
    public long seed() {
        return settings.seed();
    }

    PlanSettings settings() {
        return settings;
    }

    @Nullable
    Fault brokenOffAfter() {
        return history.brokenOffAfter();
    }

    List<TopicMessage> copies(String id) {
        return copies.getOrDefault(id, List.of());
    }

    int copies() {
        return history.sent().size() - copies.size();
    }

    String traffic() {
        return traffic;
    }

    Duration took() {
        return took;
    }

    Duration atMost() {
        return atMost;
    }

    @Nullable
    Path logs() {
        return logs;
    }

    /** In a few lines. */
    @Override
    public String toString() {
        return PlanText.summary(this);
    }
}
