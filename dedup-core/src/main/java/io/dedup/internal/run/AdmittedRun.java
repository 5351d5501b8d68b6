package io.dedup.internal.run;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupTopic;
import io.dedup.ResultCodec;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.internal.step.RunSteps;
import io.dedup.internal.step.StepKeys;
import io.dedup.internal.step.SteppedRun;
import io.dedup.internal.step.Steps;
import io.dedup.policy.DedupMode;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult.Acquired;
import io.dedup.store.StoredResult;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An admitted run of a handler: its claim, if it has one, and its state.
 *
 * <p>A run is settled at most once: it is closed first, and only the caller that has closed it sends the completion or
 * the release. Closing comes before sending because the heartbeat skips closed runs. A renewal that reached the store
 * after the completion would find no claim of this owner, and a run that has succeeded would be reported as one that
 * another consumer may repeat.
 *
 * <p>A run that nobody settles ends nevertheless. Its lease is renewed until the handler has run for
 * {@code maxProcessingTime}, counted from the claim if the handler hasn't begun. When its lease is over after that, it is
 * overdue: it leaves the heartbeat, and any consumer may claim the message. Until then the message is blocked, which is
 * why each step between a claim and its settlement gives the claim back whatever is thrown. Thread-safe.
 */
public final class AdmittedRun extends RunFlags implements Execution, SteppedRun {
    private static final VarHandle STEPS;

    static {
        try {
            STEPS = MethodHandles.lookup().findVarHandle(AdmittedRun.class, "stepsOrSuccess", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What protects a run. */
    public enum Guard {
        CLAIMED,
        SHADOW,
        /** Only the record in the handler's transaction. */
        RECORD,
        /** The store does not answer; a claim may or may not exist. */
        STORE_DOWN,
        NONE
    }

    /** Settles runs, each once. */
    public interface Settling {
        /** The reference of a run that begins now on this thread; null if no duplicate would see it. */
        @Nullable
        String referenceOf(Guard guard);

        /** Called when the handler has succeeded and the completion follows. Never throws. */
        void returned(AdmittedRun run);

        Completion succeed(AdmittedRun run, WaitBudget budget);

        /** Releases the claim; returns whether another owner had already taken it over. */
        boolean release(AdmittedRun run, @Nullable Throwable cause);

        void abandon(AdmittedRun run);

        Steps steps();

        /** Null if nobody asks which thread handles what. */
        @Nullable
        ThreadContexts contexts();

        /** Reports that another owner has taken over the claim. */
        void lost(AdmittedRun run);
    }

    private final Settling settling;
    private final Delivery delivery;
    private final Guard guard;
    private final @Nullable ClaimRequest request;
    private final @Nullable Claim claim;
    private final int deaths;
    private volatile long fencingToken;
    private final int claimedAt; // in milliseconds, lower half only, to keep this object small
    private volatile long renewalSentAt;
    private volatile long startedAt;
    private volatile long returnedAt;
    private volatile byte @Nullable [] keptResult;
    private volatile @Nullable String reference;
    /**
     * While the handler runs, its steps: those that earlier attempts have kept, as bytes; once one was used, the {@link RunSteps}.
     * After its success the {@link UnrecordedSuccess}. One field, to keep this object small.
     */
    private volatile @Nullable Object stepsOrSuccess;

    /**
     * Creates a run.
     *
     * @param request the claim request, whether or not it was answered; null for none
     * @param acquired null if there is no answer
     */
    public AdmittedRun(
            Settling settling,
            Delivery delivery,
            Guard guard,
            @Nullable ClaimRequest request,
            @Nullable Acquired acquired,
            long claimSentAt) {
        this.settling = settling;
        this.delivery = delivery;
        this.guard = guard;
        this.request = request;
        this.claim = request == null
                ? null
                : new Claim(request.key(), request.owner(), acquired == null ? 0 : acquired.attempt());
        this.deaths = acquired == null ? 0 : acquired.deaths();
        this.fencingToken = acquired == null ? 0 : acquired.fencingToken();
        this.stepsOrSuccess = acquired == null ? null : acquired.steps();
        this.claimedAt = millis(claimSentAt);
        this.renewalSentAt = claimSentAt;
    }

    @Override
    public boolean isTransactional() {
        return mode().isTransactional();
    }

    @Override
    public boolean countsDeath() {
        return claim != null && claim.owner().isAlone() && topic().policy().maxDeaths() > 0;
    }

    @Override
    public void begin() {
        long now = System.nanoTime();
        startedAt = now == 0 ? 1 : now;
        reference = settling.referenceOf(guard); // after the start: if it hangs, maxProcessingTime ends the renewals
    }

    @Override
    public @Nullable Object enter(@Nullable Collection<? extends Execution> together) {
        ThreadContexts contexts = settling.contexts();
        return contexts == null ? null : contexts.enter(together == null ? List.of(this) : together);
    }

    @Override
    public void leave(@Nullable Object before) {
        ThreadContexts contexts = settling.contexts();
        if (contexts != null) {
            contexts.leave(before);
        }
    }

    @Override
    public boolean stoppedAtStep() {
        return isStopped();
    }

    @Override
    public void stopped() {
        markStopped();
    }

    @Override
    public void returned() {
        long now = System.nanoTime();
        returnedAt = now == 0 ? 1 : now;
        markSucceeded();
        if (!isClosed()) {
            settling.returned(this);
        }
    }

    /** Recognizes copies in this process until the store has recorded the success; null before the success. */
    @Nullable
    public UnrecordedSuccess success() {
        return stepsOrSuccess instanceof UnrecordedSuccess success ? success : null;
    }

    /**
     * Creates what recognizes copies in this process until the store has recorded the success; returns the same one
     * each time.
     */
    public UnrecordedSuccess keepSuccess() {
        UnrecordedSuccess known = success();
        if (known == null) {
            known = new UnrecordedSuccess(
                    requireNonNull(claim),
                    requireNonNull(request).fingerprint(),
                    topic().policy(),
                    handlerTime(),
                    new RemainingWindow(topic().policy().window(), returnedAt == 0 ? System.nanoTime() : returnedAt),
                    stored(keptResult));
            stepsOrSuccess = known;
        }
        return known;
    }

    @Override
    public Completion succeed(byte @Nullable [] result, WaitBudget budget) {
        requireNoTransaction();
        if (result != null && !isClosed()) {
            keptResult = result;
        }
        return close() ? settling.succeed(this, budget) : Completion.UNGUARDED;
    }

    @Override
    public void keepResult(byte[] result) {
        keptResult = result;
    }

    @Override
    public byte @Nullable [] keptResult() {
        return keptResult;
    }

    /** The bytes for the store: a result, which may be null, the reference of this run, and where the message is. */
    public byte @Nullable [] stored(byte @Nullable [] result) {
        boolean withPlace = topic().policy().explainDuplicates();
        return StoredResult.encode(result, reference, withPlace ? delivery.place() : null);
    }

    @Nullable
    public String reference() {
        return reference;
    }

    @Override
    public boolean fail(Throwable cause) {
        return close() && settling.release(this, cause);
    }

    @Override
    public void giveBack() {
        if (close()) {
            settling.release(this, null);
        }
    }

    @Override
    public void abandon() {
        if (close()) {
            settling.abandon(this);
        }
    }

    /** Rejects a completion outside the transaction, which would remain if the transaction is rolled back. */
    public void requireNoTransaction() {
        if (isTransactional()) {
            throw new IllegalStateException("this adapter does not support mode " + mode() + ": message ID " + key());
        }
    }

    @Override
    public boolean isOverdue() {
        return isLost() || (hasTakenTooLong() && leaseNanosLeft() <= 0);
    }

    /** Whether the lease is no longer renewed: the handler has taken too long, or (after an Error) its start has. */
    public boolean hasTakenTooLong() {
        long nanos = isStarted() ? handlerNanos() : (millis(System.nanoTime()) - claimedAt) * 1_000_000L;
        return nanos > topic().policy().maxProcessingTime().toNanos();
    }

    private static int millis(long nanos) {
        return (int) (nanos / 1_000_000);
    }

    /** Whether its claim was lost, or was given back, while the run waited for its turn. */
    public boolean mustNotBegin() {
        return leaseLost() || isClosed();
    }

    public boolean isStarted() {
        return startedAt != 0;
    }

    public Duration handlerTime() {
        return Duration.ofNanos(handlerNanos());
    }

    public long handlerNanos() {
        return isStarted() ? (returnedAt == 0 ? System.nanoTime() : returnedAt) - startedAt : 0;
    }

    @Override
    public DedupTopic topic() {
        return delivery.topic();
    }

    @Override
    public Delivery delivery() {
        return delivery;
    }

    public DedupMode mode() {
        return delivery.topic().policy().mode();
    }

    /** Whether a record in the transaction decides about this run. */
    public boolean hasRecord() {
        return (mode() == DedupMode.TRANSACTIONAL || mode() == DedupMode.TIERED)
                && (guard == Guard.RECORD || guard == Guard.CLAIMED);
    }

    /** Notes that the record was written in the transaction. */
    public void recordWritten(long token) {
        fencingToken = token;
    }

    public int deaths() {
        return deaths;
    }

    public Guard guard() {
        return guard;
    }

    @Nullable
    public ClaimRequest request() {
        return request;
    }

    @Override
    @Nullable
    public Claim claim() {
        return claim;
    }

    /** When the last claim or renewal that succeeded was sent, by {@link System#nanoTime()}. */
    public long renewalSentAt() {
        return renewalSentAt;
    }

    public void renewed(long sentAt) {
        renewalSentAt = sentAt;
    }

    @Override
    public @Nullable DedupKey key() {
        return delivery.key();
    }

    @Override
    public boolean guarded() {
        return guard == Guard.CLAIMED || guard == Guard.RECORD;
    }

    @Override
    public int attempt() {
        return !guarded() ? 0 : claim == null ? 1 : claim.attempt();
    }

    @Override
    public long fencingToken() {
        return guarded() && topic().policy().fencingToken() ? fencingToken : 0;
    }

    @Override
    @SuppressWarnings("NullAway") // null only if the function has returned null
    public <T> T step(String name, Class<T> type, Supplier<? extends T> function) {
        return runSteps().run(name, type, function);
    }

    @Override
    @SuppressWarnings("NullAway")
    public <T> T step(String name, ResultCodec<T> codec, Supplier<? extends T> function) {
        return runSteps().run(name, requireNonNull(codec, "codec"), function);
    }

    @Override
    public void step(String name, Runnable function) {
        Object unused = runSteps().run(name, (ResultCodec<Object>) null, () -> {
            function.run();
            return null;
        });
    }

    @Override
    public String stepKey(String name) {
        return StepKeys.of(key(), name);
    }

    private RunSteps runSteps() {
        Object known = stepsOrSuccess;
        while (!(known instanceof RunSteps)) {
            byte[] kept = known instanceof byte[] bytes ? bytes : null; // after the success, a step is refused
            RunSteps created = settling.steps().of(this, kept);
            if (known instanceof UnrecordedSuccess || STEPS.compareAndSet(this, known, created)) {
                return created;
            }
            known = stepsOrSuccess;
        }
        return (RunSteps) known;
    }

    /** Tries once more to keep the steps that the store has not kept. Never throws. */
    public void flushSteps() {
        if (stepsOrSuccess instanceof RunSteps used) {
            used.flush();
        }
    }

    @Override
    public boolean hasEnded() {
        return isClosed() || isSucceeded();
    }

    @Override
    public void lost() {
        settling.lost(this);
    }

    @Override
    public boolean leaseLost() {
        return guarded() && !hasRecord() && leaseNanosLeft() <= 0;
    }

    @Override
    public Duration leaseRemaining() {
        if (hasRecord()) {
            Duration left = topic().policy().maxProcessingTime().minus(handlerTime());
            return left.isNegative() ? Duration.ZERO : left;
        }
        return guarded() ? Duration.ofNanos(leaseNanosLeft()) : Duration.ZERO;
    }

    /**
     * The rest of the lease by the local clock. Counted from before the request was sent, so it ends earlier than the
     * store's lease unless the two clocks run at different speeds.
     */
    public long leaseNanosLeft() {
        return isLost() ? 0 : Math.max(0, topic().policy().lease().toNanos() - (System.nanoTime() - renewalSentAt));
    }
}
