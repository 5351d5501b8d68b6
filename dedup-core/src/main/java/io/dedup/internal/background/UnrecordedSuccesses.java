package io.dedup.internal.background;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.Fingerprint;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.run.UnrecordedSuccess;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.ClaimResult.AlreadyDone;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The runs of this process that have succeeded and that the store has not recorded as DONE: their completions are being sent, or
 * wait in the background. A copy of such a message is a duplicate, whatever the store says, because a lease that ran out during
 * an outage lets the store grant the copy a claim. Thread-safe.
 *
 * <p>A success whose completion the store refused stays known for a short time: the claim that replaced its own may be on its way
 * to this process.
 */
public final class UnrecordedSuccesses {
    private static final int MAX_REFUSED = 1_000;

    private final ConcurrentMap<DedupKey, UnrecordedSuccess> byKey = new ConcurrentHashMap<>();
    /** Whether anything was ever remembered. The map's own {@code isEmpty} won't do: it counts an entry after others can see it. */
    private volatile boolean used;

    private final ReentrantLock lock = new ReentrantLock();
    /** Those whose completion was refused, oldest first; under the lock. */
    private final Deque<UnrecordedSuccess> refused = new ArrayDeque<>();

    /**
     * A claim that was taken over by a success.
     *
     * @param toSend the completion that the caller must send; null if one is already pending
     */
    public record TakenOver(AlreadyDone answer, @Nullable PendingCompletion toSend) {}

    /** Remembers the success of this execution, unless the store has already answered its completion. */
    public UnrecordedSuccess remember(AdmittedRun execution) {
        DedupKey key = requireNonNull(execution.claim()).key();
        used = true;
        byKey.compute(key, (same, found) -> {
            UnrecordedSuccess known = execution.keepSuccess();
            boolean older = found != null && known.isOver(System.nanoTime()); // than that of a new message with the ID
            return known.isClosed() || older ? found : known;
        });
        UnrecordedSuccess success = requireNonNull(execution.success());
        if (execution.isAnswered()) { // the answer may have arrived before the success was remembered
            remove(success);
        }
        return success;
    }

    /** An operator wants the message of this run to be handled again: no copy may wait for its success. */
    public void forgotten(AdmittedRun execution) {
        // A handler that is running learns by its next call of the store that its claim is gone.
        if (execution.isSucceeded()) {
            execution.markLost();
        }
        answered(execution);
    }

    /** Forgets the success: the store has answered its completion, or there will be no completion. */
    public void answered(AdmittedRun execution) {
        execution.markAnswered();
        UnrecordedSuccess success = execution.success();
        if (success != null) {
            remove(success);
        }
    }

    public void remove(UnrecordedSuccess success) {
        byKey.compute(success.key(), (key, found) -> {
            success.close();
            return found == success ? null : found;
        });
    }

    public void remove(DedupKey key) {
        byKey.computeIfPresent(key, (same, found) -> {
            found.close();
            return null;
        });
    }

    /** Forgets the successes of these messages. */
    public void removeAll(Predicate<DedupKey> which) {
        byKey.keySet().stream().filter(which).toList().forEach(this::remove);
    }

    /** Whether a success of this message is remembered; costs nothing as long as the store has always answered. */
    public boolean knows(DedupKey key) {
        return used && byKey.containsKey(key);
    }

    /** The answer to a copy without calling the store; null if the store must be called. */
    @Nullable
    public ClaimResult answerTo(ClaimRequest request) {
        if (!knows(request.key())) {
            return null;
        }
        AtomicReference<@Nullable ClaimResult> answer = new AtomicReference<>();
        byKey.computeIfPresent(request.key(), (key, found) -> {
            boolean same = found.claim().owner().equals(request.owner());
            // Else the window is over, or another consumer has or had the message: the store decides.
            if (found.isPending() && !found.isOver(System.nanoTime()) && !same) {
                answer.set(found.differsFrom(request.fingerprint()) ? new ClaimResult.Conflict() : found.answer());
            }
            return found;
        });
        return answer.get();
    }

    /**
     * Takes over a claim that the store granted, or may have granted, to this process for a message that it has already
     * handled. The message must not run again; from now on, the claim serves to record the success.
     *
     * @param asked false if the store was not called for the claim
     * @return null if no success is remembered, its window is over, the payload differs, or the message was forgotten since: then the
     *     claim is an ordinary one
     */
    @Nullable
    public TakenOver takeOver(Claim claim, @Nullable Fingerprint fingerprint, boolean asked) {
        AtomicReference<@Nullable TakenOver> result = new AtomicReference<>();
        byKey.computeIfPresent(claim.key(), (key, found) -> {
            if (found.differsFrom(fingerprint) || found.isOver(System.nanoTime()) || found.isForgottenBy(claim)) {
                return found;
            }
            PendingCompletion toSend = null;
            if (asked && !found.claim().owner().equals(claim.owner())) {
                if (found.isPending()) {
                    found.addReplacement(claim);
                } else {
                    found.pendingAgain();
                    toSend = PendingCompletion.of(found, claim);
                }
            }
            result.set(new TakenOver(found.answer(), toSend));
            return found;
        });
        return result.get();
    }

    /**
     * The store rejected the completion, because another owner has claimed the message since.
     *
     * @return the completion by a claim of this process, if that may be the other owner; else null
     */
    @Nullable
    public PendingCompletion refused(UnrecordedSuccess success) {
        AtomicReference<@Nullable Claim> next = new AtomicReference<>();
        UnrecordedSuccess known = byKey.compute(success.key(), (key, found) -> {
            Claim replacement = success.nextReplacement();
            next.set(replacement);
            if (replacement == null) {
                success.refused();
            }
            return found;
        });
        Claim replacement = next.get();
        if (replacement != null) {
            return PendingCompletion.of(success, replacement);
        }
        if (known == success) {
            keepForAWhile(success);
        }
        return null;
    }

    private void keepForAWhile(UnrecordedSuccess success) {
        long now = System.nanoTime();
        lock.lock();
        try {
            refused.add(success);
            while (refused.size() > MAX_REFUSED
                    || (!refused.isEmpty() && refused.getFirst().isOver(now))) {
                forget(refused.removeFirst());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Forgets a success, unless its completion is pending again. */
    private void forget(UnrecordedSuccess success) {
        byKey.computeIfPresent(success.key(), (key, found) -> found == success && !success.isPending() ? null : found);
    }
}
