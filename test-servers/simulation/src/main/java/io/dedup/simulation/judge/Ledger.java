package io.dedup.simulation.judge;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What happened to each message ID, and whether that may happen: the rows of docs/guarantees.md for the mode {@code LEASED}. Each repeated
 * effect needs a cause of its own between the two effects. Used by one simulated thread at a time.
 */
public final class Ledger {
    /** The {@code maxProcessingTime} of another process. */
    private static final long ELSEWHERE = Duration.ofMinutes(1).toNanos();

    /** Also judges what is known to go wrong and isn't mended yet; docs/simulation.md lists it. */
    private static final boolean KNOWN = Boolean.getBoolean("simulation.known");

    private final LongSupplier now;
    private final Consumer<String> steps;
    private final long longest;
    private final Map<String, List<Run>> effects = new LinkedHashMap<>();
    private final Map<String, Integer> failures = new LinkedHashMap<>();
    private final List<Event> events = new ArrayList<>();
    private final Set<String> acknowledgedTooEarly = new LinkedHashSet<>();
    private final Map<String, Long> done = new LinkedHashMap<>();
    private final Set<String> deadLettered = new LinkedHashSet<>();
    private final Set<String> badlyDeadLettered = new LinkedHashSet<>();

    /** One run of the handler that had its effect. */
    public static final class Run {
        private final String process;
        private final long began;
        private long effectAt;
        private long ended;
        private boolean isElsewhere;

        private Run(String process, long began) {
            this.process = process;
            this.began = began;
            this.ended = Long.MAX_VALUE;
        }
    }

    /** Something that may explain another effect. */
    private record Event(Kind kind, String process, long at) {}

    public enum Kind {
        CRASHED,
        CLOSED,
        /** A store call of this process failed, or its answer was lost. */
        STORE_FAILED,
        /** A store call took long: leases may end meanwhile, but it was answered. */
        STORE_SLOW,
        STORE_WIPED
    }

    /**
     * @param now nanoseconds
     * @param longest a handler may take, the {@code maxProcessingTime}
     */
    public Ledger(LongSupplier now, Consumer<String> steps, Duration longest) {
        this.now = now;
        this.steps = steps;
        this.longest = longest.toNanos();
    }

    public Run began(String process) {
        return new Run(process, now.getAsLong());
    }

    /** A run whose begin nobody has seen. */
    public Run elsewhere(String process, long claimedAt) {
        Run run = new Run(process, claimedAt);
        run.isElsewhere = true;
        run.ended = now.getAsLong();
        return run;
    }

    public void effect(String id, Run run) {
        run.effectAt = now.getAsLong();
        effects.computeIfAbsent(id, key -> new ArrayList<>()).add(run);
        steps.accept(run.process + ": effect of " + id);
    }

    public void ended(Run run) {
        run.ended = now.getAsLong();
    }

    public void failed(String id) {
        failures.merge(id, 1, Integer::sum);
    }

    public void happened(Kind kind, String process) {
        events.add(new Event(kind, process, now.getAsLong()));
    }

    /** The broker has executed an acknowledgment of this process. */
    public void acknowledged(String id, String process, boolean maySkip) {
        if (!effects.containsKey(id) && !maySkip) {
            acknowledgedTooEarly.add(id);
            steps.accept("!!! acknowledged without its effect: " + id);
        }
        done.put(id + " by " + process, now.getAsLong());
    }

    /** The broker has given the message up. */
    public void deadLettered(String id, boolean hasId, int unexplainedAttempts) {
        deadLettered.add(id);
        if (!effects.containsKey(id) && hasId && unexplainedAttempts > 0 && failures.getOrDefault(id, 0) == 0) {
            badlyDeadLettered.add(id);
            steps.accept("!!! dead-lettered although nothing explains " + unexplainedAttempts + " attempts: " + id);
        }
    }

    public int failures(String id) {
        return failures.getOrDefault(id, 0);
    }

    /** How many of these messages have ever failed. */
    public int failing(Set<String> ids) {
        return (int) ids.stream().filter(failures::containsKey).count();
    }

    public int allFailures() {
        return failures.values().stream().mapToInt(Integer::intValue).sum();
    }

    public boolean any(Kind kind) {
        return events.stream().anyMatch(event -> event.kind == kind);
    }

    public long count(Kind kind) {
        return events.stream().filter(event -> event.kind == kind).count();
    }

    public int effectsOf(String id) {
        return effects.getOrDefault(id, List.of()).size();
    }

    /** Whether the broker has executed an acknowledgment of it before it had any effect. */
    public boolean wasAcknowledgedTooEarly(String id) {
        return acknowledgedTooEarly.contains(id);
    }

    public Set<String> lost(Set<String> ids) {
        Set<String> lost = new LinkedHashSet<>(badlyDeadLettered);
        lost.addAll(acknowledgedTooEarly);
        ids.stream()
                .filter(id -> !effects.containsKey(id) && !deadLettered.contains(id))
                .forEach(lost::add);
        return lost;
    }

    public Map<String, Integer> doubled(Set<String> ids) {
        Map<String, Integer> doubled = new TreeMap<>();
        for (String id : ids) {
            List<Run> runs = effects.getOrDefault(id, List.of());
            for (int i = 1; i < runs.size(); i++) {
                if (!isExplained(id, runs.get(i - 1), runs.get(i))) {
                    doubled.put(id, runs.size());
                }
            }
        }
        return doubled;
    }

    private boolean overran(Run run) {
        long most = run.isElsewhere ? ELSEWHERE : longest;
        return run.ended == Long.MAX_VALUE || run.ended - run.began > most;
    }

    /** Why an effect may be repeated. */
    private boolean isExplained(String id, Run first, Run second) {
        if (overran(first) || overran(second)) {
            return true; // both run
        }
        long from = Math.min(first.began, second.began);
        boolean storeFailed = met(Kind.STORE_FAILED, first, second, from);
        boolean leaseMayEnd = storeFailed || met(Kind.STORE_SLOW, first, second, from);
        boolean acknowledgedAndDied = done.containsKey(id + " by " + first.process)
                && events.stream().anyMatch(event -> event.kind == Kind.CRASHED && event.process.equals(first.process));
        boolean elsewhere = !first.process.equals(second.process);
        if ((storeFailed || (leaseMayEnd && !acknowledgedAndDied)) && (!KNOWN || elsewhere)) {
            return true;
        }
        return events.stream()
                .filter(event -> event.at <= second.effectAt)
                .filter(event -> event.kind == Kind.STORE_WIPED || event.at >= from)
                .anyMatch(event -> switch (event.kind) {
                    case STORE_WIPED -> true; // a claim waits for its thread
                    case CRASHED ->
                        event.process.equals(first.process)
                                && (storeFailed
                                        || done.getOrDefault(id + " by " + first.process, Long.MAX_VALUE) > event.at);
                    case CLOSED ->
                        isClosedIn(first, event)
                                || (storeFailed && event.process.equals(first.process))
                                || isClosedIn(second, event); // whose lease the first one's process has taken over
                    case STORE_FAILED, STORE_SLOW -> false;
                });
    }

    private static boolean isClosedIn(Run run, Event event) {
        return event.process.equals(run.process) && run.began <= event.at && run.ended > event.at;
    }

    /** Whether the store did this to the first run's process, or to all. */
    private boolean met(Kind kind, Run first, Run second, long from) {
        return events.stream()
                .anyMatch(event -> event.kind == kind
                        && event.at >= from
                        && event.at <= second.effectAt
                        && (event.process.equals(first.process) || event.process.equals("all")));
    }
}
