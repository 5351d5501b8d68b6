package io.dedup.internal.storecall;

import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lets claims and completions of many threads share calls of the store, as a database groups commits: while enough calls are under
 * way, what other threads request meanwhile waits, and goes with the next call. One of the threads that wait makes it; there is no
 * thread and no timer for it. {@link CallLanes} decides who waits. Thread-safe.
 *
 * <p>A caller gets what a call of its own would have got:
 *
 * <ul>
 *   <li>Who waits for too long, or is interrupted before its request was sent, calls the store alone.
 *   <li>If a shared call fails, each of its requests is sent again alone, by its own thread: the failure may be due to another
 *       request, or to an interrupt of the thread that called. A claim keeps its owner, and a completion says that it is repeated,
 *       so the store recognizes what was applied. If the call took long, it isn't repeated: a call alone would have ended with a
 *       timeout, too.
 *   <li>Who is interrupted after its request was sent gets no answer; the request may have been applied.
 * </ul>
 *
 * <p>Only requests that may be repeated are shared: a release that was applied looks like a lost lease when it is repeated.
 * Renewals and repeated writes come from the engine's own threads, in batches, and wait for nobody.
 */
public final class SharedCalls {
    /** A completion with a larger result goes alone, so that others don't wait until it was sent. */
    static final int MAX_RESULT_BYTES = 1024;

    /**
     * When calls are shared.
     *
     * @param alone up to how many requests each have a call of their own
     * @param shared how many calls go at once if there are more requests
     * @param patience how long a request waits for a call to share, and how long a shared call may take so that its failure is
     *     repeated; short, because the store's own timeout comes on top
     */
    public record Limits(int alone, int shared, Duration patience) {
        /** Measured: 12 to 16 threads lose a quarter if they share, 32 gain a half. */
        public static final Limits USUAL = new Limits(20, 4, Duration.ofMillis(100));
    }

    private final SharedOperation<ClaimRequest, ClaimResult> claim;
    private final SharedOperation<CompleteRequest, WriteResult> complete;
    private final CallLanes lanes;
    private final long patienceNanos;

    public SharedCalls(DedupStore store) {
        this(store::claim, store::complete, Limits.USUAL);
    }

    public SharedCalls(
            Function<List<ClaimRequest>, List<ClaimResult>> claim,
            Function<List<CompleteRequest>, List<WriteResult>> complete,
            Limits limits) {
        this.claim = new SharedOperation<>(
                claim, ClaimRequest::key, request -> request, StoreCalls::errorOf, ClaimResult.StoreError::new);
        this.complete = new SharedOperation<>(
                complete,
                request -> request.claim().key(),
                request -> new CompleteRequest(request.claim(), request.window(), request.result(), true),
                StoreCalls::errorOf,
                WriteResult.StoreError::new);
        this.lanes = new CallLanes(limits);
        this.patienceNanos = limits.patience().toNanos();
    }

    /** As {@link DedupStore#claim}. */
    public List<ClaimResult> claim(List<ClaimRequest> requests) {
        return requests.size() == 1 ? send(claim, requests) : claim.send(requests);
    }

    /** As {@link DedupStore#complete}. */
    public List<WriteResult> complete(List<CompleteRequest> requests) {
        return requests.size() == 1 && isSmall(requests.get(0)) ? send(complete, requests) : complete.send(requests);
    }

    private static boolean isSmall(CompleteRequest request) {
        byte[] result = request.result();
        return result == null || result.length <= MAX_RESULT_BYTES;
    }

    private <Q, A> List<A> send(SharedOperation<Q, A> operation, List<Q> one) {
        WaitingRequest<Q, A> waiting = lanes.enter(operation, one.get(0));
        return waiting == null ? sendInLane(operation, one) : await(waiting, one);
    }

    /** Makes a call of one request, whose lane this thread has. */
    private <Q, A> List<A> sendInLane(SharedOperation<Q, A> operation, List<Q> one) {
        boolean answered = false;
        try {
            List<A> answers = operation.send(one);
            answered = operation.hasAnswered(answers);
            return answers;
        } finally {
            lanes.ended(1, answered);
        }
    }

    private <Q, A> List<A> await(WaitingRequest<Q, A> waiting, List<Q> one) {
        long until = System.nanoTime() + patienceNanos;
        while (true) {
            boolean interrupted = Thread.currentThread().isInterrupted();
            switch (waiting.state()) {
                case WAITS -> {
                    long left = until - System.nanoTime();
                    if (left > 0 && !interrupted) {
                        LockSupport.parkNanos(this, left);
                    } else if (lanes.leave(waiting)) {
                        return waiting.operation().send(one);
                    }
                }
                case CALLS -> {
                    if (interrupted) { // the call could end by this, for the others, too
                        lanes.passOn();
                        return waiting.operation().send(one);
                    }
                    List<WaitingRequest<Q, A>> others = lanes.board(waiting);
                    if (others.isEmpty()) {
                        return sendInLane(waiting.operation(), one);
                    }
                    sendTogether(waiting, others);
                }
                case SENT -> {
                    if (interrupted) {
                        return List.of(waiting.operation()
                                .failure()
                                .apply(new DedupStoreException(
                                        "interrupted while waiting for the answer, so the request may have been applied",
                                        null)));
                    }
                    LockSupport.park(this);
                }
                case ENDED -> {
                    return outcome(waiting, one);
                }
            }
        }
    }

    /**
     * Sends the requests of several threads with one call. Whatever happens, none of them goes on waiting.
     *
     * @param others not empty
     */
    private <Q, A> void sendTogether(WaitingRequest<Q, A> own, List<WaitingRequest<Q, A>> others) {
        List<A> answers = List.of();
        Throwable failure = null;
        long since = System.nanoTime();
        try {
            List<Q> requests = new ArrayList<>(1 + others.size());
            requests.add(own.request());
            others.forEach(each -> requests.add(each.request()));
            answers = own.operation().sendAll(requests);
        } catch (Throwable e) {
            failure = e;
        }
        boolean quick = System.nanoTime() - since < patienceNanos;
        boolean interrupted = Thread.currentThread().isInterrupted();
        try {
            lanes.ended(1 + others.size(), own.operation().hasAnswered(answers)); // first: the next call begins now
        } finally {
            own.end(answers.isEmpty() ? null : answers.get(0), failure, quick && !interrupted);
            for (int i = 0; i < others.size(); i++) {
                others.get(i).end(answers.isEmpty() ? null : answers.get(i + 1), failure, quick || interrupted);
            }
        }
    }

    /** The answer of a shared call, or what follows if there is none; on the caller's own thread. */
    private static <Q, A> List<A> outcome(WaitingRequest<Q, A> waiting, List<Q> one) {
        SharedOperation<Q, A> operation = waiting.operation();
        A answer = waiting.answer();
        Throwable cause = answer == null ? waiting.failure() : operation.error().apply(answer);
        if (answer != null && cause == null) {
            return List.of(answer);
        }
        return waiting.mayRepeat()
                ? operation.send(List.of(operation.repetition().apply(one.get(0))))
                : List.of(operation.failure().apply(new DedupStoreException(messageOf(cause), cause)));
    }

    /** Each caller gets an exception of its own. */
    private static String messageOf(@Nullable Throwable cause) {
        return "a call shared with other messages failed: "
                + (cause instanceof DedupStoreException ? cause.getMessage() : cause);
    }
}
