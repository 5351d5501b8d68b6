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

/** The result of a fault plan. Immutable. */
public final class FaultReport {
    private final PlanSettings settings;
    private final String traffic;
    private final History history;
    private final Map<String, List<TopicMessage>> copies;
    private final Map<String, Integer> effects;
    private final Effects.Counts bySteps;
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
        this.history = history.copy(); // the observer goes on until the run is closed
        this.copies = this.history.copies();
        this.effects = last.effects();
        this.bySteps = last.bySteps();
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

    /** Starts an assertion about this report. */
    public FaultReportAssert assertThat() {
        return new FaultReportAssert(this);
    }

    /** Returns the message IDs, in the order in which the messages were first sent. */
    public List<String> ids() {
        return List.copyOf(copies.keySet());
    }

    /** Returns how often the message took effect. */
    public int handled(String id) {
        return effects.getOrDefault(id, 0);
    }

    /** Returns how often a step of the message took effect; 0 for a step that {@link FaultRun#step} doesn't count. */
    public int handled(String id, String step) {
        return bySteps.of(step, id);
    }

    /** Returns the IDs of which this step took effect more than once. */
    public List<String> doubled(String step) {
        return copies.keySet().stream().filter(id -> handled(id, step) > 1).toList();
    }

    /** The steps whose effects are counted. */
    List<String> steps() {
        return bySteps.bySteps().keySet().stream()
                .filter(step -> !step.equals(Effects.WHOLE))
                .toList();
    }

    /** Returns the IDs that were acknowledged without taking effect and aren't among the dead letters. */
    public List<String> lost() {
        return copies.keySet().stream()
                .filter(id -> handled(id) == 0 && !unacked.containsKey(id) && !givenUp.contains(id))
                .toList();
    }

    /** Returns the IDs that took effect more than once. */
    public List<String> doubled() {
        return copies.keySet().stream().filter(id -> handled(id) > 1).toList();
    }

    /** Returns the IDs that are among the dead letters and took no effect. */
    public List<String> givenUp() {
        return copies.keySet().stream()
                .filter(id -> handled(id) == 0 && givenUp.contains(id))
                .toList();
    }

    /** Returns the IDs of which a copy wasn't acknowledged in time. */
    public List<String> unacked() {
        return copies.keySet().stream().filter(unacked::containsKey).toList();
    }

    /** Returns the IDs that were acknowledged before they took effect. */
    public List<String> ackedEarly() {
        return copies.keySet().stream()
                .filter(id -> handled(id) > 0 && history.ackedEarly(id) != null && !givenUp.contains(id))
                .toList();
    }

    /**
     * Returns what happened to a message, one line for each event: where it was sent, the faults meanwhile, its
     * acknowledgments and its effects.
     */
    public List<String> timeLine(String id) {
        return TimeLine.of(copies.getOrDefault(id, List.of()), history.effectsOf(id), history);
    }

    /** Returns the faults, one line for each. */
    public List<String> faults() {
        return TimeLine.of(history.happenings());
    }

    /** Returns the seed, with which the same plan can be run again. */
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

    /** How many faults of each kind happened while the group had no work in progress. */
    Map<Fault, Integer> withoutWork() {
        return history.withoutWork();
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

    /** Returns a summary of a few lines. */
    @Override
    public String toString() {
        return PlanText.summary(this);
    }
}
