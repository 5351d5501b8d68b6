package io.dedup.engine;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.internal.SafeListeners;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.DedupStoreException;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls the store so that whatever it throws, {@link Error}s too, or fails to answer is a {@code StoreError}, which the
 * listeners are told of: an outcome that nobody knows must not look like one, and must not pass a close-out by.
 *
 * <p>A set interrupt flag is cleared for the call and set again afterwards, because blocking clients fail under it.
 */
final class StoreCalls {
    private final DedupStore store;
    private final SafeListeners<DedupListener> notifier;

    StoreCalls(DedupStore store, SafeListeners<DedupListener> notifier) {
        this.store = store;
        this.notifier = notifier;
    }

    String storeName() {
        return store.name();
    }

    ClaimResult claim(ClaimRequest request) {
        boolean interrupted = Thread.interrupted();
        long since = System.nanoTime();
        try {
            @Nullable ClaimResult answer = store.claim(request);
            return answer == null || answer instanceof ClaimResult.StoreError
                    ? new ClaimResult.StoreError(told("claim", errorOf(answer)))
                    : answer;
        } catch (Throwable e) {
            return new ClaimResult.StoreError(told("claim", e));
        } finally {
            ended("claim", 1, since, interrupted);
        }
    }

    /** Whether the store takes writes just now. */
    boolean answers() {
        try {
            store.ping();
            return true;
        } catch (RuntimeException | Error e) {
            return false;
        }
    }

    /** A result that the store doesn't take is left out: the message is done all the same. */
    WriteResult complete(CompleteRequest request) {
        WriteResult answer = completeOnce(request);
        return TooLargeResults.is(request, answer) ? completeOnce(TooLargeResults.leaveOut(request, notifier)) : answer;
    }

    private WriteResult completeOnce(CompleteRequest request) {
        boolean interrupted = Thread.interrupted();
        long since = System.nanoTime();
        try {
            return checked("complete", store.complete(request));
        } catch (Throwable e) {
            return new WriteResult.StoreError(told("complete", e));
        } finally {
            ended("complete", 1, since, interrupted);
        }
    }

    WriteResult release(ReleaseRequest request) {
        boolean interrupted = Thread.interrupted();
        long since = System.nanoTime();
        try {
            return checked("release", store.release(request));
        } catch (Throwable e) {
            return new WriteResult.StoreError(told("release", e));
        } finally {
            ended("release", 1, since, interrupted);
        }
    }

    List<ClaimResult> claimAll(List<ClaimRequest> requests) {
        return all(
                "claim",
                requests.size(),
                () -> store.claimAll(requests),
                ClaimResult.StoreError::new,
                StoreCalls::errorOf);
    }

    List<WriteResult> completeAll(List<CompleteRequest> requests) {
        return TooLargeResults.retry(requests, this::completeAllOnce, notifier);
    }

    private List<WriteResult> completeAllOnce(List<CompleteRequest> requests) {
        return writes("complete", requests, request -> request.claim().key(), store::completeAll);
    }

    List<WriteResult> releaseAll(List<ReleaseRequest> requests) {
        return writes("release", requests, request -> request.claim().key(), store::releaseAll);
    }

    List<WriteResult> renewAll(List<RenewRequest> requests) {
        return writes("renew", requests, request -> request.claim().key(), store::renewAll);
    }

    /**
     * A batch of the store holds each key once. One of ours may hold a key twice: a claim that was lost and the one that
     * took its place in the same process end, or are renewed, together.
     */
    private <Q> List<WriteResult> writes(
            String operation,
            List<Q> requests,
            Function<Q, DedupKey> keyOf,
            Function<List<Q>, List<WriteResult>> call) {
        List<WriteResult> answers = new ArrayList<>(requests.size());
        Set<DedupKey> keys = new HashSet<>();
        int from = 0;
        for (int i = 0; i < requests.size(); i++) {
            if (!keys.add(keyOf.apply(requests.get(i)))) {
                answers.addAll(write(operation, requests.subList(from, i), call));
                keys.clear();
                keys.add(keyOf.apply(requests.get(i)));
                from = i;
            }
        }
        List<WriteResult> last = write(operation, requests.subList(from, requests.size()), call);
        if (answers.isEmpty()) {
            return last;
        }
        answers.addAll(last);
        return answers;
    }

    private <Q> List<WriteResult> write(String operation, List<Q> part, Function<List<Q>, List<WriteResult>> call) {
        return all(operation, part.size(), () -> call.apply(part), WriteResult.StoreError::new, StoreCalls::errorOf);
    }

    /** One answer for each request, whatever the store does. */
    private <A> List<A> all(
            String operation,
            int expected,
            Supplier<List<A>> call,
            Function<DedupStoreException, A> error,
            Function<@Nullable A, @Nullable Throwable> errorOf) {
        if (expected == 0) {
            return List.of();
        }
        boolean interrupted = Thread.interrupted();
        long since = System.nanoTime();
        try {
            List<A> answers = call.get();
            if (answers.size() != expected) { // whose answer is whose can't be known
                throw new IllegalStateException(answers.size() + " answers to " + expected + " requests");
            }
            for (A answer : answers) {
                Throwable failure = errorOf.apply(answer);
                if (failure != null) {
                    DedupStoreException told = told(operation, failure);
                    if (answer == null) { // a store that answers null can't say which one it means either
                        return Collections.nCopies(expected, error.apply(told));
                    }
                }
            }
            return answers;
        } catch (Throwable e) {
            return Collections.nCopies(expected, error.apply(told(operation, e)));
        } finally {
            ended(operation, expected, since, interrupted);
        }
    }

    private WriteResult checked(String operation, @Nullable WriteResult answer) {
        return answer == null || answer instanceof WriteResult.StoreError
                ? new WriteResult.StoreError(told(operation, errorOf(answer)))
                : answer;
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
        return new IllegalStateException("null for an answer");
    }

    private DedupStoreException told(String operation, @Nullable Throwable e) {
        DedupStoreException error = e instanceof DedupStoreException known
                ? known
                : new DedupStoreException("store " + store.name() + " failed unexpectedly: " + e, e);
        notifier.tell(listener -> listener.storeError(operation, error));
        return error;
    }

    private void ended(String operation, int keys, long since, boolean interrupted) {
        Duration took = Duration.ofNanos(System.nanoTime() - since);
        notifier.tell(listener -> listener.storeCalled(operation, keys, took));
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
