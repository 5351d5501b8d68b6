package io.dedup.protocol;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StepRecords;
import io.dedup.store.StepRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A process's way to the store, which loses requests and replies as it is told. What the engine writes in the background
 * waits here until the history lets it pass, so that one seed always tells one history.
 */
final class Gateway implements DedupStore, StepRecords {
    enum Fault {
        NONE,
        REQUEST_LOST,
        REPLY_LOST
    }

    private final Thread history = Thread.currentThread();
    private final Semaphore arrived = new Semaphore(0);
    private final Semaphore go = new Semaphore(0);
    private final Semaphore done = new Semaphore(0);
    private final Map<DedupKey, Claim> claims = new HashMap<>();
    private @Nullable DedupStore store;
    private volatile boolean dead;
    private Fault next = Fault.NONE;
    /** Whether a step's write has failed, which the engine sends once more. */
    private boolean sentAgain;

    private IntSupplier backgroundWork = () -> 0;

    /** @param work how much the process still has to tell the store in the background */
    void backgroundWork(IntSupplier work) {
        backgroundWork = work;
    }

    void connect(DedupStore to) {
        store = to;
        dead = false;
        next = Fault.NONE;
        sentAgain = false;
        claims.clear();
    }

    /** Lets the next call that the history makes go wrong, or not. */
    Fault failNext(Random random) {
        int dice = random.nextInt(10);
        next = dice == 0 ? Fault.REQUEST_LOST : dice == 1 ? Fault.REPLY_LOST : Fault.NONE;
        return next;
    }

    /** The claim of a message that this process has, or had. */
    @Nullable
    Claim claim(DedupKey key) {
        return claims.get(key);
    }

    List<Claim> claims() {
        return List.copyOf(claims.values());
    }

    boolean hasBackgroundWork() {
        return backgroundWork.getAsInt() > 0;
    }

    /**
     * Lets the background tell all that it has to, and waits for its end. Not only a part: how much of it comes with one
     * call is a matter of the threads' luck.
     */
    void passBackground() {
        while (hasBackgroundWork()) {
            if (hasArrived()) {
                go.release();
                done.acquireUninterruptibly();
            }
        }
    }

    /** Not for ever: the last call's answers may be on their way, and then no other follows. */
    private boolean hasArrived() {
        try {
            return arrived.tryAcquire(1, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The process is gone, and what it still had to tell with it. */
    void crash() {
        dead = true;
        passBackground();
        dead = false;
        claims.clear();
        next = Fault.NONE;
    }

    private <A> A call(Supplier<A> real, Supplier<A> whenDead) {
        if (Thread.currentThread() != history) {
            return inBackground(real, whenDead);
        }
        Fault fault = next;
        next = Fault.NONE;
        if (fault == Fault.NONE) {
            return real.get();
        }
        if (fault == Fault.REPLY_LOST) {
            A unused = real.get();
        }
        throw new DedupStoreException(fault.toString(), null);
    }

    private <A> A inBackground(Supplier<A> real, Supplier<A> whenDead) {
        arrived.release();
        go.acquireUninterruptibly();
        try {
            return dead ? whenDead.get() : real.get();
        } finally {
            done.release();
        }
    }

    private DedupStore store() {
        return Objects.requireNonNull(store, "store");
    }

    private ClaimResult note(ClaimRequest request, ClaimResult answer) {
        if (answer instanceof ClaimResult.Acquired acquired) {
            claims.put(request.key(), new Claim(request.key(), request.owner(), acquired.attempt()));
        }
        return answer;
    }

    @Override
    public List<ClaimResult> claim(List<ClaimRequest> requests) {
        List<ClaimResult> answers = call(() -> store().claim(requests), () -> {
            throw new IllegalStateException("the background claims nothing here");
        });
        for (int i = 0; i < answers.size(); i++) {
            ClaimResult unused = note(requests.get(i), answers.get(i));
        }
        return answers;
    }

    @Override
    public List<WriteResult> complete(List<CompleteRequest> requests) {
        return call(() -> store().complete(requests), () -> lost(requests));
    }

    @Override
    public List<WriteResult> release(List<ReleaseRequest> requests) {
        return call(() -> store().release(requests), () -> lost(requests));
    }

    /** Whatever goes wrong with a step's write goes wrong with its repetition, too, or a step would never be left unkept. */
    @Override
    public List<WriteResult> keepSteps(List<StepRequest> requests) {
        Fault fault = next;
        try {
            return call(() -> StepRecords.of(store()).keepSteps(requests), () -> lost(requests));
        } catch (DedupStoreException e) {
            sentAgain = !sentAgain;
            next = sentAgain ? fault : Fault.NONE;
            throw e;
        }
    }

    private static List<WriteResult> lost(List<?> requests) {
        return Collections.nCopies(requests.size(), WriteResult.leaseLost());
    }

    @Override
    public List<WriteResult> renew(List<RenewRequest> requests) {
        if (Thread.currentThread() != history) {
            throw new AssertionError("leases are too long for the engine's own heartbeat to begin");
        }
        return store().renew(requests);
    }

    @Override
    public String name() {
        return "gateway";
    }

    @Override
    public Duration attemptRetention() {
        return Duration.ofDays(7);
    }

    @Override
    public Optional<StoredRecord> find(DedupKey key) {
        return store().find(key);
    }

    @Override
    public OperatorResult forget(DedupKey key, LiveLease liveLease) {
        throw new AssertionError("no operator takes part");
    }

    @Override
    public OperatorResult forceDone(DedupKey key, Window window, LiveLease liveLease) {
        throw new AssertionError("no operator takes part");
    }

    @Override
    public void ping() {}

    @Override
    public void close() {}
}
