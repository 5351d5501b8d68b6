package io.dedup.internal.background;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.internal.run.UnrecordedSuccess;
import io.dedup.internal.storecall.StoreCalls;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.WriteResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Successes that the store has not recorded yet. Thread-safe.
 *
 * <p>Bounded: beyond {@value #CAPACITY} entries, new ones are dropped; beyond {@value #RESULT_BYTES} bytes of results,
 * they are kept without their results. Both are reported to the listeners.
 */
final class PendingCompletions {
    private static final int CAPACITY = 100_000;
    private static final long RESULT_BYTES = 32 * 1024 * 1024;

    private final StoreCalls store;
    private final SafeListeners<DedupListener> notifier;
    private final UnrecordedSuccesses successes;
    private final PendingReleases releases;
    private final ReentrantLock lock;
    private final WriteQueue<PendingCompletion> waiting = new WriteQueue<>(PendingCompletion::claim);
    /** What operators are forgetting now; under the lock. */
    private final List<Predicate<DedupKey>> beingForgotten = new ArrayList<>(1);

    private long resultBytes;
    private boolean closed;
    private final SuspectResults suspects;

    PendingCompletions(
            StoreCalls store,
            SafeListeners<DedupListener> notifier,
            UnrecordedSuccesses successes,
            PendingReleases releases,
            ReentrantLock lock) {
        this.store = store;
        this.notifier = notifier;
        this.successes = successes;
        this.releases = releases;
        this.lock = lock;
        this.suspects = new SuspectResults(waiting, lock);
    }

    public void add(PendingCompletion completion) {
        boolean taken;
        boolean tooMuch;
        lock.lock();
        try {
            if (isForgotten(completion)) {
                return;
            }
            taken = !closed && waiting.size() < CAPACITY;
            tooMuch = taken && resultBytes + completion.resultBytes() > RESULT_BYTES;
            if (taken) {
                PendingCompletion kept = tooMuch ? completion.withoutResult() : completion;
                waiting.add(kept);
                resultBytes += kept.resultBytes();
            }
        } finally {
            lock.unlock();
        }
        DedupKey key = completion.claim().key();
        if (taken) {
            report(completion, listener -> listener.completionPending(key));
        } else {
            drop(completion);
        }
        if (tooMuch) {
            UnrecordedSuccess success = completion.success();
            if (success != null) {
                success.dropResult();
            }
            notifier.report(listener -> listener.resultNotKept(key, completion.resultBytes()));
        }
    }

    /** Whether an operator has made this process forget the success, on its way to here. */
    private static boolean isForgotten(PendingCompletion completion) {
        UnrecordedSuccess success = completion.success();
        return success != null && success.isClosed();
    }

    /** Gives up on a completion: it will never be recorded. */
    void drop(PendingCompletion completion) {
        if (completion.success() != null) {
            successes.remove(completion.success());
        }
        refuse(completion);
    }

    private void refuse(PendingCompletion completion) {
        report(
                completion,
                listener -> listener.completionDropped(completion.claim().key()));
    }

    /**
     * Notifies the listeners, unless a database record is behind the store: then nothing is pending and nothing is
     * lost.
     */
    private void report(PendingCompletion completion, Consumer<DedupListener> event) {
        if (completion.isOwn()) {
            notifier.report(event);
        }
    }

    /** Sends some completions to the store, and returns whether it answered any. */
    public boolean send() {
        PendingCompletion alone = suspects.takeSuspect();
        PendingCompletion convict = suspects.takeConvicted();
        if ((alone == null && convict == null) || !store.ping()) {
            return send(next());
        }
        if (convict != null) {
            return sendWithoutResult(convict);
        }
        boolean answered = send(List.of(alone));
        suspects.convict();
        return answered;
    }

    private boolean sendWithoutResult(PendingCompletion completion) {
        boolean answered = send(List.of(completion.withoutResult()));
        boolean done;
        lock.lock();
        try {
            done = !waiting.replace(completion);
            if (done) {
                resultBytes = Math.max(0, resultBytes - completion.resultBytes()); // 0 after close()
            }
        } finally {
            lock.unlock();
        }
        if (done) {
            report(
                    completion,
                    listener -> listener.resultNotKept(completion.claim().key(), completion.resultBytes()));
        }
        return answered;
    }

    private boolean send(List<PendingCompletion> some) {
        boolean anyAnswer = false;
        List<PendingCompletion> known = new ArrayList<>();
        List<PendingCompletion> unclaimed = new ArrayList<>();
        List<ClaimRequest> claims = new ArrayList<>();
        long before = System.nanoTime();
        for (PendingCompletion each : some) {
            ClaimRequest unanswered = each.unanswered();
            if (unanswered == null || each.requestAt(before, null) == null) { // what is over is claimed for nothing
                known.add(each);
            } else {
                unclaimed.add(each);
                claims.add(unanswered);
            }
        }
        List<ClaimResult> claimAnswers = store.claim(claims);
        List<PendingCompletion> claimed = new ArrayList<>();
        List<CompleteRequest> requests = new ArrayList<>();
        List<PendingCompletion> over = new ArrayList<>();
        long now = System.nanoTime(); // not earlier: the claims above may have taken long, and windows continue
        for (int i = 0; i < unclaimed.size(); i++) {
            PendingCompletion each = unclaimed.get(i);
            if (!(claimAnswers.get(i) instanceof ClaimResult.Acquired acquired)) {
                anyAnswer |= settle(each, claimAnswers.get(i));
            } else if (isStillPending(each)) {
                addRequest(each, each.requestAt(now, acquired), claimed, requests, over);
            } else {
                anyAnswer = true;
                giveBack(each);
            }
        }
        for (PendingCompletion each : known) {
            addRequest(each, each.requestAt(now, null), claimed, requests, over);
        }
        List<WriteResult> answers = store.complete(requests);
        for (int i = 0; i < claimed.size(); i++) {
            anyAnswer |= settle(claimed.get(i), answers.get(i));
            if (answers.get(i) instanceof WriteResult.StoreError) {
                suspects.failed(claimed.get(i));
            }
        }
        return giveUp(over) || anyAnswer;
    }

    private static void addRequest(
            PendingCompletion completion,
            @Nullable CompleteRequest request,
            List<PendingCompletion> claimed,
            List<CompleteRequest> requests,
            List<PendingCompletion> over) {
        if (request == null) {
            over.add(completion);
        } else {
            claimed.add(completion);
            requests.add(request);
        }
    }

    /**
     * Whether a success whose claim has just been made may be recorded. If an operator is forgetting its message, the store may have
     * forgotten it before this claim: it would be done again, and the replay that the operator wants would be a duplicate.
     */
    private boolean isStillPending(PendingCompletion completion) {
        lock.lock();
        try {
            return waiting.contains(completion) && !isBeingForgotten(completion);
        } finally {
            lock.unlock();
        }
    }

    private boolean isBeingForgotten(PendingCompletion completion) {
        return beingForgotten.stream()
                .anyMatch(which -> which.test(completion.claim().key()));
    }

    /** Releases a claim that was made for a success which an operator is forgetting. */
    private void giveBack(PendingCompletion completion) {
        releases.add(
                new ReleaseRequest(completion.claim(), ReleaseMode.NOT_STARTED),
                requireNonNull(completion.success()).policy());
        boolean unused = later(completion);
    }

    /**
     * Releases claims whose windows are over by now: the store must not remember those messages. They were handled, so that their
     * deaths are forgotten as with the end of a window.
     */
    private boolean giveUp(List<PendingCompletion> over) {
        boolean anyAnswer = false;
        List<WriteResult> answers = store.release(over.stream()
                .map(each -> new ReleaseRequest(each.claim(), ReleaseMode.CONVICTED))
                .toList());
        for (int i = 0; i < over.size(); i++) {
            anyAnswer |=
                    answers.get(i) instanceof WriteResult.StoreError ? later(over.get(i)) : settled(over.get(i), false);
        }
        return anyAnswer;
    }

    private List<PendingCompletion> next() {
        lock.lock();
        try {
            return waiting.next(WriteQueue.BATCH, each -> !isBeingForgotten(each), each -> false);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Settles a completion by the answer to its claim: DONE stays as it is, and a guarded run elsewhere records itself.
     */
    private boolean settle(PendingCompletion completion, ClaimResult answer) {
        return answer instanceof ClaimResult.StoreError
                ? later(completion)
                : settled(completion, answer instanceof ClaimResult.AlreadyDone);
    }

    private boolean settle(PendingCompletion completion, WriteResult answer) {
        return answer instanceof WriteResult.StoreError ? later(completion) : settled(completion, answer.isApplied());
    }

    private boolean later(PendingCompletion completion) {
        lock.lock();
        try {
            waiting.moveToEnd(completion);
            return false;
        } finally {
            lock.unlock();
        }
    }

    private boolean settled(PendingCompletion completion, boolean recorded) {
        if (!forget(completion)) {
            return true; // close() was faster, and its caller reports the completion
        }
        UnrecordedSuccess success = completion.success();
        if (recorded) {
            if (success != null) {
                successes.remove(success);
            }
            report(completion, listener -> listener.completed(completion.claim().key(), completion.handlerTime()));
            return true;
        }
        PendingCompletion byReplacement = success == null ? null : successes.refused(success);
        if (byReplacement == null || !addAgain(byReplacement)) {
            refuse(completion);
        }
        return true;
    }

    /** Adds the completion by another claim for the same message; false if closed, or if the message was forgotten. */
    private boolean addAgain(PendingCompletion completion) {
        lock.lock();
        try {
            boolean taken = !closed && !isForgotten(completion);
            if (taken) {
                waiting.add(completion);
                resultBytes += completion.resultBytes();
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /**
     * An operator is about to forget messages in the store: until {@link #endForgetting}, no claim is made for their successes, and
     * none that was made since is used.
     */
    public void beginForgetting(Predicate<DedupKey> which) {
        lock.lock();
        try {
            beingForgotten.add(which);
        } finally {
            lock.unlock();
        }
    }

    public void endForgetting(Predicate<DedupKey> which) {
        lock.lock();
        try {
            boolean unused = beingForgotten.remove(which);
        } finally {
            lock.unlock();
        }
    }

    /** Drops the pending successes of messages, because an operator wants them to be forgotten. */
    public void forget(Predicate<DedupKey> which) {
        successes.removeAll(which);
        lock.lock();
        try {
            for (PendingCompletion each : waiting.removeAll(
                    work -> work.isOwn() && which.test(work.claim().key()))) {
                resultBytes -= each.resultBytes();
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean forget(PendingCompletion completion) {
        lock.lock();
        try {
            boolean waited = waiting.remove(completion);
            if (waited) {
                resultBytes -= completion.resultBytes();
            }
            return waited;
        } finally {
            lock.unlock();
        }
    }

    /** Stops accepting completions, and returns the remaining ones. */
    public List<PendingCompletion> close() {
        lock.lock();
        try {
            closed = true;
            resultBytes = 0;
            return waiting.removeAll();
        } finally {
            lock.unlock();
        }
    }

    public int size() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }
}
