package io.dedup.internal.transaction;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupStoreException;
import io.dedup.adapter.Admission;
import io.dedup.adapter.WaitBudget;
import io.dedup.internal.claim.AdmissionDecider;
import io.dedup.internal.claim.PoisonMessages;
import io.dedup.internal.lease.Heartbeat;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.settle.Releases;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.transaction.RecordResult;
import io.dedup.store.transaction.TooManyRecordsException;
import io.dedup.store.transaction.TransactionalRecords;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens transactions for admitted runs, and decides about them by their records. Thread-safe. */
public final class Transactions {
    private static final long FIRST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long MAX_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    /** Random delay, so that two transactions that deadlocked do not meet again. */
    private static final int MAX_JITTER_MILLIS = 100;

    private static final Duration PING = Duration.ofSeconds(5);
    private static final Logger log = LoggerFactory.getLogger(Transactions.class);

    private final @Nullable TransactionalRecords records;
    private final SafeListeners<DedupListener> notifier;
    private final AdmissionDecider decider;
    private final Releases releases;
    private final Heartbeat heartbeat;
    private final FrontStore front;
    private final RecordAnswers answers;
    private final AtomicInteger open = new AtomicInteger();
    private volatile boolean closed;
    private volatile boolean down;

    public Transactions(
            @Nullable TransactionalRecords records,
            SafeListeners<DedupListener> notifier,
            AdmissionDecider decider,
            PoisonMessages poison,
            Releases releases,
            Heartbeat heartbeat,
            FrontStore front) {
        this.records = records;
        this.notifier = notifier;
        this.decider = decider;
        this.releases = releases;
        this.heartbeat = heartbeat;
        this.front = front;
        this.answers = new RecordAnswers(notifier, decider, poison, front, this::giveBack);
    }

    /** Stops opening transactions. */
    public void close() {
        closed = true;
    }

    /** Whether deliveries were deferred because the database failed, and it has not answered since. */
    public boolean isDown() {
        return down;
    }

    /** Notes that a delivery is deferred because the database failed. */
    public void failed() {
        down = true;
    }

    /** Reports a result that exceeds the limit of the database. */
    public void resultNotKept(DedupKey key, int bytes) {
        notifier.report(listener -> listener.resultNotKept(key, bytes));
    }

    /**
     * Checks that the database accepts writes.
     *
     * @throws DedupStoreException if it does not answer or accepts no writes
     */
    public void ping() {
        OpenTransaction.ping(required(), PING, notifier);
        down = false;
    }

    /** The number of open transactions. */
    public int size() {
        return open.get();
    }

    public void ended() {
        open.decrementAndGet();
    }

    /** See {@link io.dedup.internal.engine.DedupEngine#open}. */
    public TransactionalHandlerRun open(List<AdmittedRun> executions, boolean ordered, WaitBudget budget) {
        open.incrementAndGet(); // before reading the flag: close() sets the flag and then counts open transactions
        try {
            if (closed) {
                giveBack(executions);
                return new TransactionalHandlerRun(
                        this,
                        null,
                        executions.stream()
                                .map(execution -> decider.closed(execution.delivery()))
                                .toList());
            }
            return executions.size() == 1
                    ? openOne(executions, budget)
                    : attempt(executions, executions.size(), ordered, true);
        } catch (Throwable e) { // otherwise the claims would be renewed for maxProcessingTime
            giveBack(executions);
            ended();
            throw e;
        }
    }

    /** Waits in place, within the budget, while another transaction handles the message. */
    private TransactionalHandlerRun openOne(List<AdmittedRun> one, WaitBudget budget) {
        AdmittedRun execution = one.get(0);
        long wait = execution.topic().policy().inFlightWait().toNanos();
        long asked = System.nanoTime();
        long pollNanos = FIRST_POLL_NANOS;
        while (true) {
            long left = Math.min(budget.nanosLeft(), wait - (System.nanoTime() - asked));
            boolean last = left <= 0 || Thread.currentThread().isInterrupted();
            TransactionalHandlerRun run = attempt(one, 1, true, last);
            if (!run.isUndecided()) {
                return run;
            }
            long from = System.nanoTime();
            LockSupport.parkNanos(Math.min(pollNanos, left));
            budget.spend(System.nanoTime() - from);
            pollNanos = Math.min(MAX_POLL_NANOS, pollNanos * 2);
        }
    }

    /**
     * Opens a transaction with the records of the first {@code limit} executions.
     *
     * @param last whether a run in flight elsewhere is deferred; if not, it stays undecided, and no transaction is open
     */
    private TransactionalHandlerRun attempt(List<AdmittedRun> executions, int limit, boolean ordered, boolean last) {
        OpenTransaction transaction;
        try {
            transaction = haveRecords(executions)
                    ? OpenTransaction.beginWithRecords(required(), timeout(executions), notifier)
                    : OpenTransaction.begin(required(), timeout(executions), notifier);
        } catch (DedupStoreException e) {
            if (e.getCause() instanceof IllegalStateException misuse) {
                log.error(
                        "Cannot open a transaction for {}. Messages in transactional modes are deferred until the"
                                + " configuration is corrected",
                        executions.get(0).delivery().origin().get(),
                        misuse);
            }
            return unavailable(executions, e);
        }
        try {
            List<@Nullable RecordResult> results = RecordAnswers.ask(transaction, executions.subList(0, limit));
            if (!last && results.get(0) instanceof RecordResult.InFlight) {
                decider.foundInFlight(executions.get(0).delivery());
                transaction.rollback();
                return TransactionalHandlerRun.undecided(this);
            }
            List<Admission> admissions = answers.decide(transaction, executions, results, ordered);
            down = false;
            if (!runs(admissions)) {
                transaction.rollback();
                return new TransactionalHandlerRun(this, null, admissions);
            }
            return new TransactionalHandlerRun(this, transaction, admissions);
        } catch (TooManyRecordsException e) {
            transaction.rollback();
            return limit > 1 ? attempt(executions, limit / 2, ordered, last) : unavailable(executions, e);
        } catch (DedupStoreException e) {
            transaction.rollback();
            return transaction.isUndoneByOthers(e)
                    ? allDeferred(executions, DeferReason.ROLLED_BACK, e)
                    : unavailable(executions, e);
        } catch (Throwable e) {
            transaction.rollback();
            throw e;
        }
    }

    // Loops instead of streams, because every message passes here: streams would take most of the time.
    private static boolean haveRecords(List<AdmittedRun> executions) {
        for (AdmittedRun execution : executions) {
            if (!execution.hasRecord()) {
                return false;
            }
        }
        return true;
    }

    private static boolean runs(List<Admission> admissions) {
        for (Admission admission : admissions) {
            if (admission instanceof Admission.Run) {
                return true;
            }
        }
        return false;
    }

    private TransactionalHandlerRun unavailable(List<AdmittedRun> executions, DedupStoreException cause) {
        failed();
        return allDeferred(executions, DeferReason.STORE_UNAVAILABLE, cause);
    }

    private TransactionalHandlerRun allDeferred(List<AdmittedRun> executions, DeferReason reason, Throwable cause) {
        giveBack(executions);
        List<Admission> admissions = new ArrayList<>(executions.size());
        for (AdmittedRun execution : executions) {
            admissions.add(deferral(execution, reason, cause));
        }
        return new TransactionalHandlerRun(this, null, Collections.unmodifiableList(admissions));
    }

    /** A deferral of a run whose transaction did not commit. */
    Admission deferral(AdmittedRun execution, DeferReason reason, @Nullable Throwable cause) {
        DedupPolicy policy = execution.topic().policy();
        Duration wanted = reason == DeferReason.ROLLED_BACK
                ? Duration.ofMillis(ThreadLocalRandom.current().nextInt(MAX_JITTER_MILLIS))
                : policy.maxDeferDelay();
        return decider.defer(execution.delivery(), reason, wanted, cause);
    }

    void giveBack(List<AdmittedRun> executions) {
        if (executions.isEmpty()) {
            return;
        }
        List<AdmittedRun> open = executions.stream().filter(AdmittedRun::close).toList();
        release(open, null);
    }

    /** Releases claims outside the transaction, after its end. Returns whether any claim had been lost before. */
    public boolean release(List<AdmittedRun> closed, @Nullable Throwable cause) {
        List<AdmittedRun> claimed =
                closed.stream().filter(execution -> execution.claim() != null).toList();
        if (cause != null) {
            closed.stream()
                    .filter(execution -> execution.guard() == AdmittedRun.Guard.RECORD)
                    .forEach(execution -> notifier.report(listener -> listener.released(keyOf(execution), cause)));
        }
        return !claimed.isEmpty() && releases.release(claimed, cause);
    }

    /** Leaves claims to expire, because it is unknown whether the effect was committed. */
    public void abandon(List<AdmittedRun> closed) {
        closed.forEach(heartbeat::remove);
    }

    /** Called when the transaction is durable. */
    void committed(OpenTransaction transaction, List<AdmittedRun> closed, byte @Nullable [] result) {
        front.committed(transaction, closed, result);
        for (AdmittedRun execution : closed) {
            heartbeat.remove(execution);
            if (execution.guarded()) {
                notifier.report(listener -> listener.completed(keyOf(execution), execution.handlerTime()));
            }
        }
    }

    /** Called when another owner turned out to have taken over the claim. */
    public void lost(AdmittedRun execution) {
        execution.markLost();
        heartbeat.remove(execution);
        if (execution.reportLossOnce()) {
            notifier.report(listener -> listener.leaseLost(keyOf(execution)));
        }
    }

    private TransactionalRecords required() {
        if (records == null) {
            throw new IllegalStateException("transactions(...) is not set");
        }
        return records;
    }

    private static Duration timeout(List<AdmittedRun> executions) {
        Duration longest = Duration.ZERO;
        for (AdmittedRun execution : executions) {
            Duration one = execution.topic().policy().maxProcessingTime();
            longest = longest.compareTo(one) < 0 ? one : longest;
        }
        return longest;
    }

    private static DedupKey keyOf(AdmittedRun execution) {
        return requireNonNull(execution.key(), "only what has an ID is guarded");
    }
}
