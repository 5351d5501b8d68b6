package io.dedup.internal.transaction;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupStoreException;
import io.dedup.adapter.Admission;
import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.TransactionalRun;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.run.AdmittedRun.Guard;
import io.dedup.policy.DedupMode;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ResultTooLargeException;
import io.dedup.store.WriteResult;
import io.dedup.store.transaction.BrokenTransactionException;
import io.dedup.store.transaction.CommitResult;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Handlers' runs in one open transaction.
 *
 * <p>Each end has its order. On success the records are written first, then the transaction commits, and only then does
 * anybody else learn of it. On failure the transaction is rolled back before claims are released: a release would wait for
 * the rows that the transaction has locked, and another consumer could claim a message whose effect is still open. If the
 * commit got no answer, the effect may or may not be durable. Then nothing is completed, released or acknowledged; the
 * redelivered message finds its record, or doesn't, and that decides. Belongs to the thread that opened it.
 *
 * <p>Whatever is thrown before the commit, such as an OutOfMemoryError while a result is encoded, rolls back. A transaction
 * that stayed open would stay bound to its thread: later handlers would join it, and their effects would never commit.
 */
final class TransactionalHandlerRun implements TransactionalRun {
    private final Transactions parent;
    private final @Nullable OpenTransaction transaction;
    private List<Admission> admissions;
    private List<Execution> executions;
    private final boolean undecided;

    TransactionalHandlerRun(Transactions parent, @Nullable OpenTransaction transaction, List<Admission> admissions) {
        this(parent, transaction, admissions, false);
        if (transaction == null) {
            parent.ended();
        }
    }

    private TransactionalHandlerRun(
            Transactions parent, @Nullable OpenTransaction transaction, List<Admission> admissions, boolean undecided) {
        this.parent = parent;
        this.transaction = transaction;
        this.admissions = admissions;
        this.executions =
                Admission.executions(admissions); // now, so that nothing has to be created between this and the handler
        this.undecided = undecided;
    }

    /** Creates a run without a decision, which must be opened again. */
    static TransactionalHandlerRun undecided(Transactions parent) {
        return new TransactionalHandlerRun(parent, null, List.of(), true);
    }

    public boolean isUndecided() {
        return undecided;
    }

    @Override
    public List<Admission> admissions() {
        return admissions;
    }

    @Override
    public List<Execution> executions() {
        return executions;
    }

    @Override
    public void keepFirst(int count) {
        OpenTransaction open = requireNonNull(transaction, "nothing runs");
        List<Execution> running = executions;
        List<Admission> kept = new ArrayList<>(count);
        List<AdmittedRun> others = new ArrayList<>(running.size() - count);
        List<DedupKey> written = new ArrayList<>(running.size() - count);
        for (int i = 0; i < running.size(); i++) {
            AdmittedRun run = (AdmittedRun) running.get(i);
            if (i < count) {
                kept.add(new Admission.Run(run));
                continue;
            }
            others.add(run);
            if (run.hasRecord()) {
                written.add(requireNonNull(run.key()));
            }
        }
        if (!written.isEmpty()) {
            open.removeAll(written);
        }
        List<Execution> first = Admission.executions(kept);
        admissions = kept;
        executions = first;
        parent.giveBack(others);
    }

    @Override
    public boolean rollBack(Throwable cause) {
        OpenTransaction open = requireNonNull(transaction, "nothing runs");
        try {
            List<AdmittedRun> closed = rolledBack(open);
            boolean unused = parent.release(closed, null);
            return open.isUndoneByOthers(cause);
        } finally {
            parent.ended();
        }
    }

    @Override
    public RunEnd succeeded(byte @Nullable [] result) {
        OpenTransaction open = requireNonNull(transaction, "nothing runs");
        try {
            List<AdmittedRun> closed = List.of();
            RunEnd instead;
            try {
                closed = closeAll();
                instead = write(open, closed, result);
            } catch (Throwable e) { // as if the handler had failed
                open.rollback();
                return released(closed.isEmpty() ? closeAll() : closed, e);
            }
            return instead != null ? instead : commit(open, closed, result);
        } finally {
            parent.ended();
        }
    }

    /** Writes what must be in the transaction before it commits; null on success. */
    private @Nullable RunEnd write(OpenTransaction open, List<AdmittedRun> closed, byte @Nullable [] result) {
        try {
            for (AdmittedRun execution : closed) {
                byte[] stored = execution.stored(result);
                // Another statement for a result or a reference, not for the place alone.
                boolean worthIt = result != null || execution.reference() != null;
                if (stored != null && worthIt && execution.hasRecord()) {
                    keepResult(open, requireNonNull(execution.key()), stored);
                }
            }
            List<AdmittedRun> leased = leased(closed);
            List<WriteResult> answers = leased.isEmpty()
                    ? List.of()
                    : completeAll(
                            open,
                            leased.stream()
                                    .map(execution -> completion(execution, result))
                                    .toList());
            List<AdmittedRun> lost = new ArrayList<>(0);
            for (int i = 0; i < leased.size(); i++) {
                if (!answers.get(i).isApplied()) {
                    lost.add(leased.get(i));
                }
            }
            return lost.isEmpty() ? null : leaseLost(open, closed, lost);
        } catch (BrokenTransactionException e) { // the handler's fault: deferring it would redeliver it forever
            open.rollback();
            return released(closed, e);
        } catch (DedupStoreException e) {
            open.rollback();
            boolean byOthers = open.isUndoneByOthers(e);
            if (!byOthers) {
                parent.failed();
            }
            return undone(byOthers ? DeferReason.ROLLED_BACK : DeferReason.STORE_UNAVAILABLE, closed, e);
        }
    }

    /**
     * Stores a result, unless the database rejects its size: rolling back for that would make the message run again and
     * again.
     */
    private void keepResult(OpenTransaction open, DedupKey key, byte[] stored) {
        try {
            open.keepResult(key, stored);
        } catch (ResultTooLargeException e) {
            parent.resultNotKept(key, stored.length);
        }
    }

    private List<WriteResult> completeAll(OpenTransaction open, List<CompleteRequest> requests) {
        try {
            return open.completeAll(requests);
        } catch (ResultTooLargeException e) {
            for (CompleteRequest request : requests) {
                byte[] stored = request.result();
                if (stored != null) {
                    parent.resultNotKept(request.claim().key(), stored.length);
                }
            }
            return open.completeAll(
                    requests.stream().map(CompleteRequest::withoutResult).toList());
        }
    }

    private static List<AdmittedRun> leased(List<AdmittedRun> closed) {
        List<AdmittedRun> leased = new ArrayList<>(closed.size());
        for (AdmittedRun execution : closed) {
            if (execution.mode() == DedupMode.LEASED_TRANSACTIONAL && execution.guard() == Guard.CLAIMED) {
                leased.add(execution);
            }
        }
        return leased;
    }

    private static CompleteRequest completion(AdmittedRun execution, byte @Nullable [] result) {
        return new CompleteRequest(
                requireNonNull(execution.claim()),
                execution.topic().policy().window(),
                execution.stored(result),
                false);
    }

    /** Another consumer may be handling a message: the effect here must not become durable. */
    private RunEnd leaseLost(OpenTransaction open, List<AdmittedRun> closed, List<AdmittedRun> lost) {
        open.rollback();
        lost.forEach(parent::lost);
        List<AdmittedRun> others =
                closed.stream().filter(execution -> !lost.contains(execution)).toList();
        boolean unused = parent.release(others, null);
        return new RunEnd.NotHandled(parent.deferral(lost.get(0), DeferReason.LEASE_LOST, null));
    }

    private RunEnd commit(OpenTransaction open, List<AdmittedRun> closed, byte @Nullable [] result) {
        CommitResult answer = open.commit();
        if (answer instanceof CommitResult.Committed) {
            parent.committed(open, closed, result);
            for (AdmittedRun execution : closed) {
                if (execution.guarded()) {
                    return new RunEnd.Handled(Completion.DONE);
                }
            }
            return new RunEnd.Handled(Completion.UNGUARDED);
        }
        if (answer instanceof CommitResult.RolledBack rolledBack) {
            if (open.isUndoneByOthers(rolledBack.cause())) {
                return undone(DeferReason.ROLLED_BACK, closed, rolledBack.cause());
            }
            return released(closed, rolledBack.cause());
        }
        Throwable cause = ((CommitResult.Unknown) answer).cause();
        parent.abandon(closed);
        return new RunEnd.NotHandled(parent.deferral(first(), DeferReason.COMMIT_UNKNOWN, cause));
    }

    @Override
    public RunEnd failed(Throwable cause) {
        OpenTransaction open = requireNonNull(transaction, "nothing runs");
        try {
            List<AdmittedRun> closed = rolledBack(open);
            boolean undone = !(cause instanceof Error) && open.isUndoneByOthers(cause);
            return undone ? undone(DeferReason.ROLLED_BACK, closed, cause) : released(closed, cause);
        } finally {
            parent.ended();
        }
    }

    private RunEnd released(List<AdmittedRun> closed, Throwable cause) {
        boolean lost = parent.release(closed, cause);
        boolean leased = closed.stream().anyMatch(execution -> execution.mode() == DedupMode.LEASED_TRANSACTIONAL);
        return HandlerRun.isDeferral(lost && leased, cause)
                ? RunEnd.NotHandled.leaseLost(first().topic().policy().maxDeferDelay(), cause)
                : new RunEnd.Failed(cause);
    }

    private RunEnd undone(DeferReason reason, List<AdmittedRun> closed, Throwable cause) {
        boolean unused = parent.release(closed, cause);
        return new RunEnd.NotHandled(parent.deferral(first(), reason, cause));
    }

    private AdmittedRun first() {
        return (AdmittedRun) executions.get(0);
    }

    /** Closes the runs, and rolls back first of all: a release would wait for the locks of this transaction. */
    private List<AdmittedRun> rolledBack(OpenTransaction open) {
        try {
            return closeAll();
        } finally {
            open.rollback();
        }
    }

    private List<AdmittedRun> closeAll() {
        List<AdmittedRun> closed = new ArrayList<>(executions.size());
        for (Execution execution : executions) {
            AdmittedRun run = (AdmittedRun) execution;
            if (run.close()) {
                closed.add(run);
            }
        }
        return closed;
    }
}
