package io.dedup.internal.engine;

import io.dedup.DedupKey;
import io.dedup.LiveLease;
import io.dedup.internal.background.BackgroundWrites;
import io.dedup.internal.background.UnrecordedSuccesses;
import io.dedup.internal.lease.Heartbeat;
import io.dedup.internal.run.AdmittedRun;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Makes this process drop what it would record later of messages that an operator makes the stores forget. Thread-safe. */
record Forgetting(BackgroundWrites background, Heartbeat heartbeat, UnrecordedSuccesses successes) {
    /**
     * Asks the stores, and drops what this process knows of the messages that they have forgotten.
     *
     * <p>A run that wasn't there before may have begun because the store had forgotten its message already: its success counts. Or the
     * store has forgotten that success before this process knew that it was recorded: no copy may wait for it.
     *
     * @param which what the command is about
     * @param forgotten of these, what the stores have forgotten by their answer
     */
    <R> R run(
            Predicate<DedupKey> which,
            LiveLease liveLease,
            Supplier<R> stores,
            Function<R, Predicate<DedupKey>> forgotten) {
        return background.forgetting(which, () -> {
            Set<AdmittedRun> before = new HashSet<>(runsOf(which));
            R answer = stores.get();
            Predicate<DedupKey> gone = forgotten.apply(answer);
            for (AdmittedRun run : runsOf(gone)) {
                if (liveLease == LiveLease.OVERRIDE || before.contains(run)) {
                    successes.forgotten(run); // first: their successes must no longer be remembered
                } else if (run.isClosed() && run.isSucceeded()) {
                    run.markLost(); // its completion, which is on its way, decides nevertheless
                }
            }
            background.forget(gone); // successes that the store has not recorded yet
            return answer;
        });
    }

    /** Only those whose claims may have been forgotten. */
    private List<AdmittedRun> runsOf(Predicate<DedupKey> which) {
        return heartbeat.runsOf(which).stream().filter(AdmittedRun::guarded).toList();
    }
}
