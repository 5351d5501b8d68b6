package io.dedup.engine;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.Completion;
import io.dedup.engine.Execution.Guard;
import io.dedup.internal.SafeListeners;
import io.dedup.store.Claim;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.DedupStoreException;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.WriteResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends runs: completes, releases or abandons their claims.
 *
 * <p>A completion that fails is never taken for a failed handler: releasing then would make the effect happen twice.
 * A set interrupt flag is cleared meanwhile and set again afterwards, because blocking clients fail under it.
 */
final class CloseOut {
    private static final long FIRST_BACK_OFF_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long MAX_BACK_OFF_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final DedupStore store;
    private final SafeListeners<DedupListener> notifier;
    private final Heartbeat heartbeat;
    private final BackgroundWrites background;

    CloseOut(
            DedupStore store, SafeListeners<DedupListener> notifier, Heartbeat heartbeat, BackgroundWrites background) {
        this.store = store;
        this.notifier = notifier;
        this.heartbeat = heartbeat;
        this.background = background;
    }

    Completion succeed(Execution execution, byte @Nullable [] result, WaitBudget budget) {
        return shielded(() -> switch (execution.guard()) {
            case NONE -> Completion.UNGUARDED;
            case STORE_DOWN -> {
                background.complete(request(execution, result, false), true);
                yield Completion.UNGUARDED;
            }
            case SHADOW -> {
                heartbeat.remove(execution);
                completeShadow(execution);
                yield Completion.UNGUARDED;
            }
            case CLAIMED -> {
                heartbeat.remove(execution);
                yield complete(execution, result, budget);
            }
        });
    }

    private Completion complete(Execution execution, byte @Nullable [] result, WaitBudget budget) {
        long backOff = FIRST_BACK_OFF_NANOS;
        boolean repeated = false;
        while (true) {
            long sentAt = System.nanoTime();
            try {
                return told(execution, store.complete(request(execution, result, repeated)));
            } catch (DedupStoreException e) {
                notifier.tell(listener -> listener.storeError("complete", e));
            } catch (RuntimeException e) {
                notifier.tell(listener -> listener.storeError("complete", Claimer.wrap(store, e)));
            }
            budget.spend(System.nanoTime() - sentAt);
            // The effect has happened. Beyond the lease a successor may run; holding the consumer then helps nobody.
            long wait = Math.min(backOff, Math.min(budget.nanosLeft(), execution.leaseNanosLeft()));
            if (wait <= 0) {
                background.complete(request(execution, result, true), false);
                return Completion.PENDING;
            }
            LockSupport.parkNanos(wait);
            budget.spend(wait);
            backOff = Math.min(MAX_BACK_OFF_NANOS, backOff * 2);
            repeated = true;
        }
    }

    /** Completes all with one call; what the store doesn't answer goes on one by one, as a single completion does. */
    List<Completion> succeedAll(List<Execution> executions, WaitBudget budget) {
        return shielded(() -> {
            List<Execution> claimed = new ArrayList<>(executions.size());
            for (Execution execution : executions) {
                if (execution.guard() == Guard.CLAIMED) {
                    heartbeat.remove(execution);
                    claimed.add(execution);
                }
            }
            List<@Nullable WriteResult> answers = completeOnce(claimed);
            List<Completion> completions = new ArrayList<>(executions.size());
            int next = 0;
            for (Execution execution : executions) {
                if (execution.guard() != Guard.CLAIMED) {
                    completions.add(succeed(execution, null, budget));
                    continue;
                }
                WriteResult answer = answers.get(next++);
                completions.add(answer == null ? completeAgain(execution, budget) : told(execution, answer));
            }
            return completions;
        });
    }

    /** Null for those that got no answer. */
    private List<@Nullable WriteResult> completeOnce(List<Execution> claimed) {
        List<@Nullable WriteResult> answers = new ArrayList<>(claimed.size());
        List<CompleteRequest> requests = new ArrayList<>(claimed.size());
        for (Execution execution : claimed) {
            requests.add(request(execution, null, false));
        }
        try {
            for (WriteResult answer : requests.isEmpty() ? List.<WriteResult>of() : store.completeAll(requests)) {
                if (answer instanceof WriteResult.StoreError error) {
                    notifier.tell(listener -> listener.storeError("complete", error.cause()));
                    answers.add(null);
                } else {
                    answers.add(answer);
                }
            }
        } catch (RuntimeException e) {
            notifier.tell(listener -> listener.storeError("complete", Claimer.wrap(store, e)));
        }
        while (answers.size() < claimed.size()) {
            answers.add(null);
        }
        return answers;
    }

    private Completion completeAgain(Execution execution, WaitBudget budget) {
        if (budget.nanosLeft() > 0 && execution.leaseNanosLeft() > 0) {
            long sentAt = System.nanoTime();
            try {
                return told(execution, store.complete(request(execution, null, true)));
            } catch (RuntimeException e) {
                notifier.tell(listener -> listener.storeError("complete", Claimer.wrap(store, e)));
                budget.spend(System.nanoTime() - sentAt);
            }
        }
        background.complete(request(execution, null, true), false);
        return Completion.PENDING;
    }

    private Completion told(Execution execution, WriteResult answer) {
        DedupKey key = keyOf(execution);
        if (answer.isApplied()) {
            notifier.tell(listener -> listener.completed(key, execution.handlerTime()));
            return Completion.DONE;
        }
        execution.markLost();
        notifier.tell(listener -> listener.leaseLost(key));
        return Completion.LEASE_LOST;
    }

    private void completeShadow(Execution execution) {
        try {
            WriteResult ignored = store.complete(request(execution, null, false)); // only watching: whatever it says
        } catch (RuntimeException e) {
            notifier.tell(listener -> listener.storeError("complete", Claimer.wrap(store, e)));
        }
    }

    /** Whether the claim was found to be somebody else's. */
    boolean release(Execution execution, @Nullable Throwable cause) {
        Claim claim = execution.claim();
        if (claim == null) {
            return false;
        }
        heartbeat.remove(execution);
        ReleaseMode mode = execution.isStarted() ? ReleaseMode.STARTED : ReleaseMode.NOT_STARTED;
        boolean lost = execution.guard() == Guard.STORE_DOWN
                ? releaseLater(execution, mode)
                : shielded(() -> releaseNow(execution, mode));
        notifier.tell(listener -> listener.released(claim.key(), cause));
        return lost && execution.guard() == Guard.CLAIMED;
    }

    private boolean releaseLater(Execution execution, ReleaseMode mode) {
        background.release(
                new ReleaseRequest(requireNonNull(execution.claim()), mode),
                execution.topic().policy().lease());
        return false;
    }

    /** One release as it is, without telling the listeners; true when the claim was somebody else's. */
    boolean releaseNow(Execution execution, ReleaseMode mode) {
        try {
            return !store.release(new ReleaseRequest(requireNonNull(execution.claim()), mode))
                    .isApplied();
        } catch (RuntimeException e) {
            notifier.tell(listener -> listener.storeError("release", Claimer.wrap(store, e)));
            return releaseLater(execution, mode);
        }
    }

    /** Releases all with one call; answers whether any was lost before. */
    boolean releaseAll(List<Execution> executions, @Nullable Throwable cause) {
        List<Execution> claimed = new ArrayList<>(executions.size());
        boolean lost = false;
        for (Execution execution : executions) {
            if (execution.claim() == null || execution.guard() == Guard.STORE_DOWN) {
                lost |= release(execution, cause);
            } else {
                heartbeat.remove(execution);
                claimed.add(execution);
            }
        }
        if (claimed.isEmpty()) {
            return lost;
        }
        List<ReleaseRequest> requests = new ArrayList<>(claimed.size());
        for (Execution execution : claimed) {
            requests.add(new ReleaseRequest(
                    requireNonNull(execution.claim()),
                    execution.isStarted() ? ReleaseMode.STARTED : ReleaseMode.NOT_STARTED));
        }
        List<WriteResult> answers = shielded(() -> releaseOnce(requests));
        for (int i = 0; i < claimed.size(); i++) {
            Execution execution = claimed.get(i);
            WriteResult answer = answers.get(i);
            if (answer instanceof WriteResult.StoreError error) {
                notifier.tell(listener -> listener.storeError("release", error.cause()));
                releaseLater(execution, requests.get(i).mode());
            } else {
                lost |= !answer.isApplied() && execution.guard() == Guard.CLAIMED;
            }
            DedupKey key = keyOf(execution);
            notifier.tell(listener -> listener.released(key, cause));
        }
        return lost;
    }

    private List<WriteResult> releaseOnce(List<ReleaseRequest> requests) {
        try {
            return store.releaseAll(requests);
        } catch (RuntimeException e) {
            WriteResult error = new WriteResult.StoreError(Claimer.wrap(store, e));
            return requests.stream().map(request -> error).toList();
        }
    }

    void abandon(Execution execution) {
        heartbeat.remove(execution);
    }

    private static CompleteRequest request(Execution execution, byte @Nullable [] result, boolean repeated) {
        return new CompleteRequest(
                requireNonNull(execution.claim()), execution.topic().policy().window(), result, repeated);
    }

    private static DedupKey keyOf(Execution execution) {
        return requireNonNull(execution.claim()).key();
    }

    private static <T> T shielded(Supplier<T> work) {
        boolean interrupted = Thread.interrupted();
        try {
            return work.get();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
