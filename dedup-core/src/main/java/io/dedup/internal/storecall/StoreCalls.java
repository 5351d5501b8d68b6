package io.dedup.internal.storecall;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupStoreException;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.RecordInUseException;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StepRecords;
import io.dedup.store.StepRequest;
import io.dedup.store.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Calls the store. Whatever it throws (including an {@link Error}) or fails to answer becomes a {@code StoreError},
 * which is also reported to the listeners: an unknown result must not look like a known one, and must not prevent a
 * settlement.
 *
 * <p>If the thread's interrupt flag is set, it is cleared for the call and restored afterwards, because blocking
 * clients fail when it is set.
 */
public final class StoreCalls {
    /** The operation that the store is called for. */
    public enum Kind {
        CLAIM("claim"),
        COMPLETE("complete"),
        RELEASE("release"),
        RENEW("renew"),
        STEP("step");

        private final String operation;

        Kind(String operation) {
            this.operation = operation;
        }
    }

    /** Receives how each call ended, and whether it brought any answer. Must not throw. */
    @FunctionalInterface
    public interface Watch {
        void ended(Kind kind, boolean answered, long nanos);
    }

    private final DedupStore store;
    private final Function<List<ClaimRequest>, List<ClaimResult>> claim;
    private final Function<List<CompleteRequest>, List<WriteResult>> complete;
    private final String storeName;
    private final SafeListeners<DedupListener> notifier;
    private final Watch watch;

    public StoreCalls(DedupStore store, SafeListeners<DedupListener> notifier, Watch watch) {
        this(store, null, notifier, watch);
    }

    /** @param shared makes claims and completions of several threads together; null for a call each */
    public StoreCalls(
            DedupStore store, @Nullable SharedCalls shared, SafeListeners<DedupListener> notifier, Watch watch) {
        this.store = store;
        this.claim = shared == null ? store::claim : shared::claim;
        this.complete = shared == null ? store::complete : shared::complete;
        this.storeName = store.name(); // read now, because it is needed after a failure
        this.notifier = notifier;
        this.watch = watch;
    }

    public String storeName() {
        return storeName;
    }

    /** Returns one answer for each request, whatever the store does; none if there is no request. */
    public List<ClaimResult> claim(List<ClaimRequest> requests) {
        if (requests.isEmpty()) {
            return List.of();
        }
        boolean interrupted = Thread.interrupted();
        long since = System.nanoTime();
        int answered = 0;
        try {
            List<ClaimResult> answers = claim.apply(requests);
            answered = answered(Kind.CLAIM, requests.size(), answers, StoreCalls::errorOf);
            return answers;
        } catch (Throwable e) {
            return Collections.nCopies(requests.size(), new ClaimResult.StoreError(reported(Kind.CLAIM, e)));
        } finally {
            ended(Kind.CLAIM, requests.size(), answered > 0, since, interrupted);
        }
    }

    /** Completes claims. If the store rejects a result because of its size, completes that claim without the result. */
    public List<WriteResult> complete(List<CompleteRequest> requests) {
        List<WriteResult> answers = write(Kind.COMPLETE, requests, CompleteRequest::claim, complete);
        for (int i = 0; i < requests.size(); i++) {
            if (TooLargeResults.is(requests.get(i), answers.get(i))) {
                return TooLargeResults.repeat(requests, answers, this::complete, notifier);
            }
        }
        return answers;
    }

    public List<WriteResult> release(List<ReleaseRequest> requests) {
        return write(Kind.RELEASE, requests, ReleaseRequest::claim, store::release);
    }

    public List<WriteResult> renew(List<RenewRequest> requests) {
        return write(Kind.RENEW, requests, RenewRequest::claim, store::renew);
    }

    /** Appends to the steps of a claimed message. The store must be able to keep steps. */
    public WriteResult keepStep(StepRequest request) {
        return write(
                        Kind.STEP,
                        List.of(request),
                        StepRequest::claim,
                        requests -> StepRecords.of(store).keepSteps(requests))
                .get(0);
    }

    /** Whether the store accepts writes now. Does not notify the listeners. */
    public boolean ping() {
        try {
            store.ping();
            return true;
        } catch (Throwable e) {
            return false;
        }
    }

    /**
     * Returns one answer for each request, whatever the store does. Splits a list so that each call has each key once: a
     * list here may contain a key twice, because a lost claim and the claim of the same process that replaced it can end,
     * or be renewed, together.
     */
    private <Q> List<WriteResult> write(
            Kind kind, List<Q> requests, Function<Q, Claim> claimOf, Function<List<Q>, List<WriteResult>> operation) {
        if (requests.isEmpty()) {
            return List.of();
        }
        int distinct = distinct(requests, claimOf);
        if (distinct < requests.size()) {
            List<WriteResult> answers = new ArrayList<>(requests.size());
            answers.addAll(write(kind, requests.subList(0, distinct), claimOf, operation));
            answers.addAll(write(kind, requests.subList(distinct, requests.size()), claimOf, operation));
            return answers;
        }
        boolean interrupted = Thread.interrupted();
        long since = System.nanoTime();
        int answered = 0;
        try {
            List<WriteResult> answers = operation.apply(requests);
            answered = answered(kind, requests.size(), answers, StoreCalls::errorOf);
            return answers;
        } catch (Throwable e) {
            return Collections.nCopies(requests.size(), new WriteResult.StoreError(reported(kind, e)));
        } finally {
            ended(kind, requests.size(), answered > 0, since, interrupted);
        }
    }

    /** Returns the index of the first request whose key one before it has; their number if none has. */
    private static <Q> int distinct(List<Q> requests, Function<Q, Claim> claimOf) {
        if (requests.size() == 1) { // the usual case
            return 1;
        }
        Set<DedupKey> keys = new HashSet<>(2 * requests.size());
        int to = 0;
        while (to < requests.size() && keys.add(claimOf.apply(requests.get(to)).key())) {
            to++;
        }
        return to;
    }

    /** Returns how many requests have an answer, and reports the others. Throws if it cannot be known which these are. */
    private <A> int answered(
            Kind kind, int expected, List<A> answers, Function<A, @Nullable DedupStoreException> errorOf) {
        if (answers.size() != expected) {
            throw new IllegalStateException(
                    "the store returned " + answers.size() + " answers to " + expected + " requests");
        }
        int answered = 0;
        for (int i = 0; i < expected; i++) {
            A answer = answers.get(i);
            if (answer == null) { // such a store may have mixed up the other answers too
                throw new IllegalStateException("the store returned null");
            }
            DedupStoreException failure = errorOf.apply(answer);
            if (failure == null || (kind == Kind.CLAIM && failure instanceof RecordInUseException)) {
                answered++;
            }
            if (failure != null) {
                DedupStoreException unused = reported(kind, failure);
            }
        }
        return answered;
    }

    static @Nullable DedupStoreException errorOf(ClaimResult answer) {
        return answer instanceof ClaimResult.StoreError error ? error.cause() : null;
    }

    static @Nullable DedupStoreException errorOf(WriteResult answer) {
        return answer instanceof WriteResult.StoreError error ? error.cause() : null;
    }

    private DedupStoreException reported(Kind kind, Throwable e) {
        DedupStoreException error = e instanceof DedupStoreException known
                ? known
                : new DedupStoreException("store " + storeName + " failed unexpectedly: " + e, e);
        notifier.report(listener -> listener.storeError(kind.operation, error));
        return error;
    }

    private void ended(Kind kind, int keys, boolean answered, long since, boolean interrupted) {
        long nanos = System.nanoTime() - since;
        watch.ended(kind, answered, nanos);
        Duration took = Duration.ofNanos(nanos);
        notifier.report(listener -> listener.storeCalled(kind.operation, keys, took));
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
