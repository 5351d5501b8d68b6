package io.dedup.internal.background;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Finds the late completion whose result the store doesn't take. A server may break the connection over a result that is too
 * large. That looks like an outage, and would go on for ever. So a completion that failed with its result is tried alone the next
 * time, and the time after that without its result. When it fails again, the result isn't the reason.
 *
 * <p>Used by the thread of the background writes.
 */
final class SuspectResults {
    private final WriteQueue<PendingCompletion> waiting;
    private final ReentrantLock lock;
    private @Nullable PendingCompletion suspect;
    private @Nullable PendingCompletion convicted;

    /** @param waiting what is still to be told; read under the lock */
    SuspectResults(WriteQueue<PendingCompletion> waiting, ReentrantLock lock) {
        this.waiting = waiting;
        this.lock = lock;
    }

    /** This completion failed together with others, or alone. The first one that has a result is tried alone the next time. */
    public void failed(PendingCompletion completion) {
        if (suspect == null && completion.resultBytes() > 0) {
            suspect = completion;
        }
    }

    /** The completion that failed alone in the last attempt is tried without its result the next time. */
    public void convict() {
        convicted = suspect;
        suspect = null;
    }

    /** To be tried alone; null when there is none, or it doesn't wait any more. Asked once. */
    @Nullable
    PendingCompletion takeSuspect() {
        PendingCompletion taken = suspect;
        suspect = null;
        return ifWaiting(taken);
    }

    /** To be tried alone and without its result; null when there is none, or it doesn't wait any more. Asked once. */
    @Nullable
    PendingCompletion takeConvicted() {
        PendingCompletion taken = convicted;
        convicted = null;
        return ifWaiting(taken);
    }

    /** An operator may have let its message be forgotten meanwhile: recorded now, the next copy would be taken for a duplicate. */
    private @Nullable PendingCompletion ifWaiting(@Nullable PendingCompletion completion) {
        lock.lock();
        try {
            return completion != null && waiting.contains(completion) ? completion : null;
        } finally {
            lock.unlock();
        }
    }
}
