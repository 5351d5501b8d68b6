package io.dedup.internal.storecall;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupStoreException;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
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
        RENEW("renew");

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
    private final String storeName;
    private final SafeListeners<DedupListener> notifier;
    private final Watch watch;

    public StoreCalls(DedupStore store, SafeListeners<DedupListener> notifier, Watch watch) {
        this.store = store;
        this.storeName = store.name(); // read now, because it is needed after a failure
        this.notifier = notifier;
        this.watch = watch;
    }

    public String storeName() {
        return storeName;
    }

    public ClaimResult claim(ClaimRequest request) {
        boolean interrupted = Thread.interrupted();
        long since = System.nanoTime();
        boolean answered = false;
        try {
            @Nullable ClaimResult answer = store.claim(request);
            answered = answer != null && !(answer instanceof ClaimResult.StoreError);
            return answer != null && answered
                    ? answer
                    : new ClaimResult.StoreError(reported(Kind.CLAIM, errorOf(answer)));
        } catch (Throwable e) {
            return new ClaimResult.StoreError(reported(Kind.CLAIM, e));
        } finally {
            ended(Kind.CLAIM, 1, answered, since, interrupted);
        }
    }

    /** Completes a claim. If the store rejects the result because of its size, completes it without the result. */
    public WriteResult complete(CompleteRequest request) {
        WriteResult answer = write(Kind.COMPLETE, request, DedupStore::complete);
        return TooLargeResults.is(request, answer)
                ? write(Kind.COMPLETE, TooLargeResults.leaveOut(request, notifier), DedupStore::complete)
                : answer;
    }

    public WriteResult release(ReleaseRequest request) {
        return write(Kind.RELEASE, request, DedupStore::release);
    }

    private <Q> WriteResult write(Kind kind, Q request, BiFunction<DedupStore, Q, @Nullable WriteResult> call) {
        boolean interrupted = Thread.interrupted();
        long since = System.nanoTime();
        boolean answered = false;
        try {
            @Nullable WriteResult answer = call.apply(store, request);
            answered = answer != null && !(answer instanceof WriteResult.StoreError);
            return answer != null && answered ? answer : new WriteResult.StoreError(reported(kind, errorOf(answer)));
        } catch (Throwable e) {
            return new WriteResult.StoreError(reported(kind, e));
        } finally {
            ended(kind, 1, answered, since, interrupted);
        }
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

    public List<ClaimResult> claimAll(List<ClaimRequest> requests) {
        return all(
                Kind.CLAIM,
                requests.size(),
                () -> store.claimAll(requests),
                ClaimResult.StoreError::new,
                StoreCalls::errorOf);
    }

    public List<WriteResult> completeAll(List<CompleteRequest> requests) {
        return TooLargeResults.retry(requests, this::completeAllOnce, notifier);
    }

    private List<WriteResult> completeAllOnce(List<CompleteRequest> requests) {
        return writes(Kind.COMPLETE, requests, request -> request.claim().key(), store::completeAll);
    }

    public List<WriteResult> releaseAll(List<ReleaseRequest> requests) {
        return writes(Kind.RELEASE, requests, request -> request.claim().key(), store::releaseAll);
    }

    public List<WriteResult> renewAll(List<RenewRequest> requests) {
        return writes(Kind.RENEW, requests, request -> request.claim().key(), store::renewAll);
    }

    /**
     * Splits a batch so that each call has each key once. A batch here may contain a key twice: a lost claim and the
     * claim of the same process that replaced it can end, or be renewed, together.
     */
    private <Q> List<WriteResult> writes(
            Kind kind, List<Q> requests, Function<Q, DedupKey> keyOf, Function<List<Q>, List<WriteResult>> call) {
        List<WriteResult> answers = new ArrayList<>(requests.size());
        Set<DedupKey> keys = new HashSet<>(2 * requests.size());
        int from = 0;
        for (int i = 0; i < requests.size(); i++) {
            if (!keys.add(keyOf.apply(requests.get(i)))) {
                answers.addAll(write(kind, requests.subList(from, i), call));
                keys.clear();
                keys.add(keyOf.apply(requests.get(i)));
                from = i;
            }
        }
        List<WriteResult> last = write(kind, requests.subList(from, requests.size()), call);
        if (answers.isEmpty()) {
            return last;
        }
        answers.addAll(last);
        return answers;
    }

    private <Q> List<WriteResult> write(Kind kind, List<Q> part, Function<List<Q>, List<WriteResult>> call) {
        return all(kind, part.size(), () -> call.apply(part), WriteResult.StoreError::new, StoreCalls::errorOf);
    }

    /** Returns one answer for each request, whatever the store does. */
    private <A> List<A> all(
            Kind kind,
            int expected,
            Supplier<List<A>> call,
            Function<DedupStoreException, A> error,
            Function<@Nullable A, @Nullable Throwable> errorOf) {
        if (expected == 0) {
            return List.of();
        }
        boolean interrupted = Thread.interrupted();
        long since = System.nanoTime();
        int answered = 0;
        try {
            List<A> answers = call.get();
            if (answers.size() != expected) { // answers cannot be matched to requests
                throw new IllegalStateException(
                        "the store returned " + answers.size() + " answers to " + expected + " requests");
            }
            for (A answer : answers) {
                Throwable failure = errorOf.apply(answer);
                if (failure == null) {
                    answered++;
                } else {
                    DedupStoreException reported = reported(kind, failure);
                    if (answer == null) { // such a store may have mixed up the other answers too
                        answered = 0;
                        return Collections.nCopies(expected, error.apply(reported));
                    }
                }
            }
            return answers;
        } catch (Throwable e) {
            return Collections.nCopies(expected, error.apply(reported(kind, e)));
        } finally {
            ended(kind, expected, answered > 0, since, interrupted);
        }
    }

    private static @Nullable Throwable errorOf(@Nullable ClaimResult answer) {
        if (answer == null) {
            return noAnswer();
        }
        return answer instanceof ClaimResult.StoreError error ? error.cause() : null;
    }

    private static @Nullable Throwable errorOf(@Nullable WriteResult answer) {
        if (answer == null) {
            return noAnswer();
        }
        return answer instanceof WriteResult.StoreError error ? error.cause() : null;
    }

    private static IllegalStateException noAnswer() {
        return new IllegalStateException("the store returned null");
    }

    private DedupStoreException reported(Kind kind, @Nullable Throwable e) {
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
