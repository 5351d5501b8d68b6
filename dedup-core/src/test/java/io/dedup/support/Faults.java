package io.dedup.support;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import io.dedup.support.FaultyStore.Call;
import io.dedup.support.FaultyStore.Fault;
import io.dedup.support.FaultyStore.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Ways in which stores fail. */
public final class Faults {
    private Faults() {}

    /** Nothing is applied, nothing is answered. */
    public static Fault down() {
        return throwing(() -> new DedupStoreException("store is down", null));
    }

    public static Fault throwing(Supplier<? extends Throwable> thrown) {
        return (call, real) -> {
            throw Faults.<RuntimeException>sneaky(thrown.get());
        };
    }

    /** Applied, but the answer doesn't arrive. */
    public static Fault lostAnswer() {
        return (call, real) -> {
            List<?> unused = real.apply(call.requests());
            throw new DedupStoreException("answer lost", null);
        };
    }

    /** So often, then as it should be. */
    public static Fault times(int count, Fault fault) {
        AtomicInteger left = new AtomicInteger(count);
        return (call, real) -> left.getAndDecrement() > 0 ? fault.answer(call, real) : real.apply(call.requests());
    }

    /** The call waits, then goes on. */
    public static Fault hanging(CountDownLatch reached, CountDownLatch until) {
        return (call, real) -> {
            reached.countDown();
            try {
                until.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new DedupStoreException("interrupted", e);
            }
            return real.apply(call.requests());
        };
    }

    /** Fails as blocking clients do on a thread whose interrupt flag is set. */
    public static Fault failingWhenInterrupted() {
        return (call, real) -> {
            if (Thread.currentThread().isInterrupted()) {
                throw new DedupStoreException("interrupted", null);
            }
            return real.apply(call.requests());
        };
    }

    /** Completions with a result fail, whichever way they are sent; a batch that has one fails as a whole. */
    public static Fault resultsFail(Supplier<? extends RuntimeException> thrown) {
        return (call, real) -> {
            if (call.requests().stream()
                    .anyMatch(request -> request instanceof CompleteRequest complete && complete.result() != null)) {
                throw thrown.get();
            }
            return real.apply(call.requests());
        };
    }

    /** The same fault for some keys only; the others of a batch are applied. */
    public static Fault forKeys(Predicate<DedupKey> which) {
        return (call, real) -> {
            List<Object> others = new ArrayList<>();
            for (int i = 0; i < call.requests().size(); i++) {
                if (!which.test(call.keys().get(i))) {
                    others.add(call.requests().get(i));
                }
            }
            List<?> answers = others.isEmpty() ? List.of() : real.apply(others);
            List<Object> merged = new ArrayList<>();
            int next = 0;
            for (DedupKey key : call.keys()) {
                merged.add(which.test(key) ? error(call) : answers.get(next++));
            }
            return merged;
        };
    }

    private static Object error(Call call) {
        DedupStoreException cause = new DedupStoreException("no answer for this key", null);
        return call.op() == Op.CLAIM ? new ClaimResult.StoreError(cause) : new WriteResult.StoreError(cause);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // throws what the compiler doesn't let through
    private static <X extends Throwable> X sneaky(Throwable thrown) throws X {
        throw (X) thrown;
    }
}
