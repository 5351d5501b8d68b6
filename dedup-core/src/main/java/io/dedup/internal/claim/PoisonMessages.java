package io.dedup.internal.claim;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.PoisonMessageException;
import io.dedup.adapter.Admission;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.settle.ClaimSettlement;

/**
 * Rejects messages whose runs have ended with an expired lease too often.
 *
 * <p>A death proves something only if nothing else could have caused it. So the store counts it only for a claim that was
 * made alone and at once before its handler ({@link io.dedup.store.Owner#isAlone}), and what was handled before is recorded
 * before such a claim is made. A conviction forgets the deaths: if the message is sent again after a repair, it is
 * counted from zero. Thread-safe.
 */
public final class PoisonMessages {
    private final SafeListeners<DedupListener> notifier;
    private final ClaimSettlement settlement;

    public PoisonMessages(SafeListeners<DedupListener> notifier, ClaimSettlement settlement) {
        this.notifier = notifier;
        this.settlement = settlement;
    }

    /** Whether too many runs of the message have ended with an expired lease. Not of a dead letter: nobody else would get it. */
    public static boolean isPoison(AdmittedRun execution) {
        int maxDeaths = execution.topic().policy().maxDeaths();
        return maxDeaths > 0
                && execution.deaths() >= maxDeaths
                && !execution.topic().scope().isDeadLetter();
    }

    /** Settles a run that has not begun, and rejects its message. */
    public Admission convict(AdmittedRun execution) {
        DedupKey key = requireNonNull(execution.key());
        int deaths = execution.deaths();
        settlement.convict(execution);
        notifier.report(listener -> listener.poison(key, deaths));
        return new Admission.Reject(new PoisonMessageException(
                key,
                execution.delivery().origin().get(),
                deaths,
                execution.topic().policy().settingNames()));
    }
}
