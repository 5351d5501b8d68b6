package io.dedup.testkit.replay;

import io.dedup.DedupOutcome.DeferReason;
import java.util.List;
import java.util.Set;

/** Counts how often a message took effect, and what is still running, according to a timeline. */
final class Runs {
    private static final Set<String> ROLLED_BACK = Set.of(
            DeferReason.LEASE_LOST.toString(),
            DeferReason.ROLLED_BACK.toString(),
            DeferReason.COMMIT_UNKNOWN.toString());

    private int open;
    private int unguarded;
    private int late;
    private int lost;
    private int succeeded;

    private Runs() {}

    static int successesIn(List<Timeline.Event> events) {
        Runs runs = new Runs();
        events.forEach(runs::add);
        // A run that lost its lease and didn't fail, as far as known: its handler may have continued to its end.
        return runs.succeeded + Math.min(runs.open, runs.lost);
    }

    /**
     * Whether a run hasn't ended, or may still take effect. One that has lost its lease may never be reported to have ended: it is
     * waited for only while effects are counted, and there are fewer than runs that didn't fail.
     *
     * @param effects how often the message took effect; a large number if that isn't counted
     */
    static boolean anyOpen(List<Timeline.Event> events, int effects) {
        Runs runs = new Runs();
        events.forEach(runs::add);
        return runs.open > runs.lost || (runs.open > 0 && effects < runs.succeeded + runs.open);
    }

    private void add(Timeline.Event event) {
        switch (event.kind()) {
            case CLAIMED -> open++;
            case UNGUARDED -> {
                unguarded++; // its success isn't reported, only a failure
                succeeded++;
                late++; // if the store is down, the record follows in the background
            }
            case COMPLETION_PENDING -> {
                if (open > 0) {
                    open--;
                    succeeded++;
                    late++;
                }
            }
            case COMPLETED, COMPLETION_DROPPED -> {
                if (open > 0) {
                    open--;
                    succeeded++;
                } else if (late > 0) {
                    late--;
                } else {
                    succeeded++;
                }
            }
            case RELEASED -> {
                if (open > 0) {
                    open--;
                } else if (unguarded > 0) {
                    unguarded--;
                    succeeded--;
                }
            }
            case DEFERRED -> {
                if (ROLLED_BACK.contains(event.detail())) {
                    open = Math.max(0, open - 1);
                }
                if (event.detail().equals(DeferReason.LEASE_LOST.toString())) {
                    lost = Math.max(0, lost - 1); // it has ended after all
                }
            }
            case LEASE_LOST -> lost++;
            default -> {
                // irrelevant for effects
            }
        }
    }
}
