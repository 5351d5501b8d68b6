package io.dedup.engine;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.PoisonMessageException;
import io.dedup.internal.SafeListeners;

/** Gives up on messages with which too many processes have died. Thread-safe. */
final class Verdicts {
    private final SafeListeners<DedupListener> notifier;
    private final CloseOut closeOut;

    Verdicts(SafeListeners<DedupListener> notifier, CloseOut closeOut) {
        this.notifier = notifier;
        this.closeOut = closeOut;
    }

    /** Whether too many have died with the message to try once more. */
    static boolean isPoison(Execution execution) {
        int maxDeaths = execution.topic().policy().maxDeaths();
        return maxDeaths > 0 && execution.deaths() >= maxDeaths;
    }

    /** Closes the run out, which hasn't begun. */
    Admission convict(Execution execution) {
        DedupKey key = requireNonNull(execution.key());
        int deaths = execution.deaths();
        closeOut.convict(execution);
        notifier.tell(listener -> listener.poison(key, deaths));
        return new Admission.Reject(new PoisonMessageException(
                key,
                execution.delivery().origin().get(),
                deaths,
                execution.topic().policy().settingNames()));
    }
}
