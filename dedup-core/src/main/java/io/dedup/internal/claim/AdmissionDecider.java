package io.dedup.internal.claim;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupOutcome.SkipReason;
import io.dedup.DedupStoreException;
import io.dedup.MissingMessageIdException;
import io.dedup.PayloadConflictException;
import io.dedup.adapter.Admission;
import io.dedup.adapter.Delivery;
import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.DuplicateDetails;
import io.dedup.duplicate.MessagePlace;
import io.dedup.internal.lease.Heartbeat;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.run.AdmittedRun.Guard;
import io.dedup.internal.settle.ClaimHandover;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnConflict;
import io.dedup.policy.OnStoreFailure;
import io.dedup.store.ClaimResult.Acquired;
import io.dedup.store.ClaimResult.AlreadyDone;
import io.dedup.store.ClaimResult.Conflict;
import io.dedup.store.ClaimResult.InFlight;
import io.dedup.store.ClaimResult.StoreError;
import io.dedup.store.RecordInUseException;
import io.dedup.store.StoredResult;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Decides about a delivery, from the store's answer and the policy.
 *
 * <p>An acquired claim has joined the heartbeat before the decision, so that its lease cannot expire while listeners are
 * notified. From there on nobody but this class knows of the claim until the caller has the admission. Therefore whatever
 * is thrown in between gives the claim back: otherwise its message would be blocked for {@code maxProcessingTime}.
 */
public final class AdmissionDecider {
    public static final Duration MIN_DEFER_DELAY = Duration.ofMillis(20);
    private static final Duration CLOSED_DELAY = Duration.ofSeconds(1);

    private final SafeListeners<DedupListener> notifier;
    private final Heartbeat heartbeat;
    private final AdmittedRun.Settling settling;
    private final PoisonMessages poison;
    private final ClaimHandover handover;
    private final MissingIds missingIds;
    private final ConcurrentCopies concurrent;
    private volatile boolean storeWasDown;

    public AdmissionDecider(
            SafeListeners<DedupListener> notifier,
            Heartbeat heartbeat,
            AdmittedRun.Settling settling,
            PoisonMessages poison,
            ClaimHandover handover,
            MissingIds missingIds,
            ConcurrentCopies concurrent) {
        this.notifier = notifier;
        this.heartbeat = heartbeat;
        this.settling = settling;
        this.poison = poison;
        this.handover = handover;
        this.missingIds = missingIds;
        this.concurrent = concurrent;
    }

    /** Creates the run of an acquired claim. Its lease is renewed from {@link #renew} on. */
    public AdmittedRun execution(ClaimAttempt attempted, Acquired acquired) {
        Guard guard = attempted.delivery().isShadow() ? Guard.SHADOW : Guard.CLAIMED;
        return execution(attempted, guard, acquired);
    }

    /** Starts renewing the claim's lease until the run ends. The caller must settle the run, whatever is thrown. */
    public void renew(AdmittedRun execution) {
        heartbeat.add(execution);
    }

    public Admission decide(ClaimAttempt attempted) {
        if (!(attempted.result() instanceof Acquired acquired)) {
            return decide(attempted, null);
        }
        AdmittedRun execution = execution(attempted, acquired);
        try {
            renew(execution);
            return decide(attempted, execution);
        } catch (Throwable e) { // otherwise the claim would be renewed for maxProcessingTime
            execution.giveBack();
            throw e;
        }
    }

    /**
     * Decides.
     *
     * @param registered the run of the claim, whose lease is being renewed; null if nothing was acquired
     */
    public Admission decide(ClaimAttempt attempted, @Nullable AdmittedRun registered) {
        Delivery delivery = attempted.delivery();
        DedupKey key = attempted.request().key();
        if (storeWasDown && attempted.asked() && !(attempted.result() instanceof StoreError)) {
            storeAnswers();
        }
        if (delivery.isShadow()) {
            return shadow(attempted, registered);
        }
        // First: a run that ends after this look has left its success, which the next look finds.
        boolean runsUnguarded = registered != null && heartbeat.isRunningUnguarded(key);
        AlreadyDone handledHere = handledHere(attempted, registered);
        if (handledHere != null) {
            return duplicate(delivery, key, handledHere);
        }
        if (runsUnguarded) { // it began while the store did not answer, and the store knows nothing of it
            requireNonNull(registered).giveBack();
            return besideOwnRun(delivery, null);
        }
        if (attempted.result() instanceof Acquired acquired) {
            if (acquired.tookOver()) {
                notifier.report(listener -> listener.tookOver(key));
            }
            return acquired(requireNonNull(registered));
        }
        if (attempted.result() instanceof AlreadyDone done) {
            return duplicate(delivery, key, done);
        }
        if (attempted.result() instanceof InFlight inFlight) {
            return defer(delivery, DeferReason.IN_FLIGHT, inFlight.remaining(), null);
        }
        if (attempted.result() instanceof StoreError error) {
            if (!(handover.known(attempted.request()) instanceof Conflict)) {
                return storeDown(attempted, error.cause());
            }
            giveBackUnanswered(attempted); // this process has handled the ID with another payload meanwhile
        }
        return conflict(delivery, key);
    }

    /**
     * The answer to a copy of a message that this process handled while the claim of the copy was requested or waited
     * for its turn. The store may have granted that claim, because the lease of the first run expired before its
     * completion arrived.
     */
    private @Nullable AlreadyDone handledHere(ClaimAttempt attempted, @Nullable AdmittedRun registered) {
        AlreadyDone done = attempted.result() instanceof Acquired acquired
                ? handover.instead(attempted.request(), acquired)
                : attempted.result() instanceof StoreError
                        ? handover.insteadOfUnanswered(attempted.request(), attempted.asked())
                        : null;
        if (done != null && registered != null) {
            registered.abandon(); // handed over: it is neither renewed nor released
        }
        return done;
    }

    private Admission acquired(AdmittedRun execution) {
        begins(execution.delivery());
        if (!execution.hasRecord()) { // else the record decides about both: it may be DONE without the store knowing
            if (PoisonMessages.isPoison(execution)) {
                return poison.convict(execution);
            }
            notifier.report(listener -> listener.acquired(requireNonNull(execution.key()), execution.attempt()));
        }
        return new Admission.Run(execution);
    }

    public Admission duplicate(Delivery delivery, DedupKey key, AlreadyDone done) {
        StoredResult stored = StoredResult.decode(done.result());
        Admission.Duplicate duplicate = new Admission.Duplicate(
                new AlreadyDone(done.completedAt(), done.attempt(), stored.result()),
                stored.firstRun(),
                stored.place());
        report(delivery, key, duplicate);
        return duplicate;
    }

    public void report(Delivery delivery, DedupKey key, Admission.Duplicate duplicate) {
        notifier.report(listener -> listener.duplicate(key, duplicate.done().completedAt(), duplicate.firstRun()));
        explain(delivery, key, duplicate.done().completedAt(), duplicate.first());
    }

    /** Reports why a message is a duplicate. */
    void explain(Delivery copy, DedupKey key, @Nullable Instant completedAt, @Nullable MessagePlace first) {
        DuplicateCause cause = concurrent.remove(copy) ? DuplicateCause.CONCURRENT : copy.causeAfter(first);
        DuplicateDetails details =
                new DuplicateDetails(cause, completedAt, first, copy.place(), copy.sender(), copy.isShadow());
        notifier.report(listener -> listener.explained(key, details));
    }

    /** Notes that the message of a delivery, which is to be claimed again, is in flight. */
    public void foundInFlight(Delivery delivery) {
        concurrent.met(delivery);
    }

    /** Notes that a delivery runs, so that what it has waited for says nothing about its copies. */
    public void begins(Delivery delivery) {
        boolean unused = concurrent.remove(delivery);
    }

    /** Admits a run whose record, written in its transaction, decides; the store is not called before. */
    Admission decidedByRecord(Delivery delivery) {
        return new Admission.Run(new AdmittedRun(settling, delivery, Guard.RECORD, null, null, System.nanoTime()));
    }

    private Admission storeDown(ClaimAttempt attempted, DedupStoreException cause) {
        Delivery delivery = attempted.delivery();
        DedupPolicy policy = delivery.topic().policy();
        if (policy.mode() == DedupMode.TIERED) { // the database record behind the front store decides
            giveBackUnanswered(attempted);
            return decidedByRecord(delivery);
        }
        if (cause instanceof RecordInUseException) { // the store answers, and somebody else may be handling it
            giveBackUnanswered(attempted);
            return defer(delivery, DeferReason.IN_FLIGHT, policy.maxDeferDelay(), cause);
        }
        // An interrupted claim fails without saying anything about the store: no reason to run unguarded.
        if (policy.onStoreFailure() == OnStoreFailure.PROCESS
                && !Thread.currentThread().isInterrupted()) {
            return withoutStore(attempted, cause);
        }
        giveBackUnanswered(attempted);
        storeWasDown = true;
        return defer(delivery, DeferReason.STORE_UNAVAILABLE, policy.maxDeferDelay(), cause);
    }

    private Admission withoutStore(ClaimAttempt attempted, DedupStoreException cause) {
        AdmittedRun execution = execution(attempted, Guard.STORE_DOWN, null);
        if (!attempted.asked()) {
            execution.markUnasked();
        }
        if (!heartbeat.addUnguarded(execution)) { // that much is known without the store
            giveBackUnanswered(attempted);
            return besideOwnRun(attempted.delivery(), cause);
        }
        try {
            return unguarded(
                    attempted.delivery(), execution, attempted.request().key());
        } catch (Throwable e) { // otherwise copies would wait for it for maxProcessingTime
            execution.giveBack();
            throw e;
        }
    }

    /**
     * Defers a copy of a message that this process is handling: running beside it would repeat the effect. When that run ends isn't
     * known; its lease says nothing about it.
     */
    private Admission besideOwnRun(Delivery copy, @Nullable Throwable cause) {
        return defer(copy, DeferReason.IN_FLIGHT, copy.topic().policy().maxDeferDelay(), cause);
    }

    /** Whether a delivery was deferred because the store failed, and it has not answered since. */
    public boolean storeWasDown() {
        return storeWasDown;
    }

    public void storeAnswers() {
        storeWasDown = false;
    }

    /**
     * Releases a claim that may have been made although its answer was lost; otherwise it would block the message for a
     * lease.
     */
    void giveBackUnanswered(ClaimAttempt attempted) {
        if (attempted.asked()) {
            handover.giveBackUnanswered(
                    attempted.request(), attempted.delivery().topic().policy());
        }
    }

    public Admission conflict(Delivery delivery, DedupKey key) {
        OnConflict onConflict = delivery.topic().policy().onConflict();
        notifier.report(listener -> listener.conflict(key, onConflict));
        return switch (onConflict) {
            case FAIL ->
                new Admission.Reject(new PayloadConflictException(
                        key, delivery.origin().get(), delivery.topic().policy().settingNames()));
            case SKIP -> new Admission.Ignore(SkipReason.CONFLICT);
            case PROCESS -> unguarded(delivery, unclaimed(delivery), key);
        };
    }

    public Admission missingId(Delivery delivery) {
        String problem = requireNonNull(delivery.problem());
        String origin = delivery.origin().get();
        if (missingIds.mustWait(delivery, origin)) {
            return defer(
                    delivery, DeferReason.MISSING_ID, delivery.topic().policy().maxDeferDelay(), null);
        }
        notifier.report(listener -> listener.missingId(delivery.topic(), origin, problem));
        if (delivery.isShadow()) {
            return new Admission.Run(unclaimed(delivery));
        }
        return switch (delivery.topic().policy().onMissingId()) {
            case FAIL ->
                new Admission.Reject(new MissingMessageIdException(
                        delivery.topic().scope().consumer(), delivery.topic().policy(), origin, problem));
            case SKIP -> new Admission.Ignore(SkipReason.MISSING_ID);
            case PROCESS -> unguarded(delivery, unclaimed(delivery), null);
        };
    }

    /** Reports a copy of a message that the same consumer has just handled; the store is not called. */
    void duplicateOfHandled(Delivery copy, AdmittedRun handled) {
        DedupKey key = requireNonNull(copy.key());
        Instant about = Instant.now(); // by the local clock: only reported
        notifier.report(listener -> listener.duplicate(key, about, handled.reference()));
        explain(copy, key, about, handled.delivery().place());
    }

    /** After closing, nothing is admitted; a message in shadow mode runs as it would without this framework. */
    public Admission closed(Delivery delivery) {
        if (delivery.isShadow()) {
            return new Admission.Run(unclaimed(delivery));
        }
        notifier.report(listener -> listener.deferred(delivery.key(), DeferReason.CLOSED, CLOSED_DELAY));
        return new Admission.Defer(DeferReason.CLOSED, CLOSED_DELAY, false, null);
    }

    private Admission shadow(ClaimAttempt attempted, @Nullable AdmittedRun registered) {
        Delivery delivery = attempted.delivery();
        DedupKey key = requireNonNull(delivery.key());
        if (attempted.result() instanceof Acquired) {
            return new Admission.Run(requireNonNull(registered));
        }
        String wouldBe;
        if (attempted.result() instanceof AlreadyDone) {
            wouldBe = "duplicate";
        } else if (attempted.result() instanceof InFlight) {
            wouldBe = "in flight";
        } else if (attempted.result() instanceof Conflict) {
            wouldBe = "conflict";
        } else {
            wouldBe = "store unavailable";
        }
        notifier.report(listener -> listener.shadow(key, wouldBe));
        if (attempted.result() instanceof AlreadyDone done) {
            explain(
                    delivery,
                    key,
                    done.completedAt(),
                    StoredResult.decode(done.result()).place());
        } else if (attempted.result() instanceof InFlight) { // it is handled: nothing else will be known of it
            concurrent.met(delivery);
            explain(delivery, key, null, null);
        }
        return new Admission.Run(unclaimed(delivery));
    }

    private Admission unguarded(Delivery delivery, AdmittedRun execution, @Nullable DedupKey key) {
        notifier.report(listener -> listener.unguarded(key, delivery.topic()));
        return new Admission.Run(execution);
    }

    public Admission.Defer defer(Delivery delivery, DeferReason reason, Duration wanted, @Nullable Throwable cause) {
        DedupPolicy policy = delivery.topic().policy();
        Duration delay = wanted.compareTo(policy.maxDeferDelay()) > 0 ? policy.maxDeferDelay() : wanted;
        Duration retryAfter = delay.compareTo(MIN_DEFER_DELAY) < 0 ? MIN_DEFER_DELAY : delay;
        if (reason == DeferReason.IN_FLIGHT) {
            concurrent.met(delivery);
        }
        notifier.report(listener -> listener.deferred(delivery.key(), reason, retryAfter));
        boolean pause = reason == DeferReason.STORE_UNAVAILABLE && policy.onStoreFailure() == OnStoreFailure.PAUSE;
        return new Admission.Defer(reason, retryAfter, pause, cause);
    }

    AdmittedRun unclaimed(Delivery delivery) {
        return new AdmittedRun(settling, delivery, Guard.NONE, null, null, System.nanoTime());
    }

    private AdmittedRun execution(ClaimAttempt attempted, Guard guard, @Nullable Acquired acquired) {
        long claimedAt =
                attempted.asked() ? attempted.sentAt() : System.nanoTime(); // without a request, the lease must end too
        return new AdmittedRun(settling, attempted.delivery(), guard, attempted.request(), acquired, claimedAt);
    }
}
