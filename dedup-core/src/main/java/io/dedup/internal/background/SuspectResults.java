package io.dedup.internal.background;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Finds the pending completion whose result the store rejects. A server may close the connection over a result that is
 * too large, which looks like an outage and would continue forever. Therefore, a completion that failed with its result
 * is sent alone the next time, and after that without its result. If it fails again, the result is not the reason.
 *
 * <p>Used only by the background thread.
 */
final class SuspectResults {
    private final WriteQueue<PendingCompletion> waiting;
    private final ReentrantLock lock;
    private @Nullable PendingCompletion suspect;
    private @Nullable PendingCompletion convicted;

    /**
     * Creates a finder.
     *
     * @param waiting the pending completions; read under the lock
     */
    SuspectResults(WriteQueue<PendingCompletion> waiting, ReentrantLock lock) {
        this.waiting = waiting;
        this.lock = lock;
    }

    /**
     * Notes that a completion failed, alone or with others. The first one with a result is sent alone the next time.
     */
    public void failed(PendingCompletion completion) {
        if (suspect == null && completion.resultBytes() > 0) {
            suspect = completion;
        }
    }

    /** Marks the completion that failed alone in the last attempt: it is sent without its result the next time. */
    public void convict() {
        convicted = suspect;
        suspect = null;
    }

    /** Takes the completion to send alone; null if there is none or it is no longer pending. */
    @Nullable
    PendingCompletion takeSuspect() {
        PendingCompletion taken = suspect;
        suspect = null;
        return ifWaiting(taken);
    }

    /** Takes the completion to send alone and without its result; null if there is none or it is no longer pending. */
    @Nullable
    PendingCompletion takeConvicted() {
        PendingCompletion taken = convicted;
        convicted = null;
        return ifWaiting(taken);
    }

    /**
     * An operator may have deleted the record meanwhile: recording the success now would make the next delivery a
     * duplicate.
     */
    private @Nullable PendingCompletion ifWaiting(@Nullable PendingCompletion completion) {
        lock.lock();
        try {
            return completion != null && waiting.contains(completion) ? completion : null;
        } finally {
            lock.unlock();
        }
    }
}
