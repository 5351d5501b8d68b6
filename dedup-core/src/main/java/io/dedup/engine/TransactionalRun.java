package io.dedup.engine;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.DedupMode;
import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.engine.Execution.Guard;
import io.dedup.store.BrokenTransactionException;
import io.dedup.store.CommitResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStoreException;
import io.dedup.store.ResultTooLargeException;
import io.dedup.store.WriteResult;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Handlers' runs in one business transaction, which commits or rolls back with their records. Belongs to the thread that
 * opened it. Where any of its {@link #admissions} runs, exactly one of {@link #succeed} and {@link #fail} ends it;
 * otherwise nothing is open.
 */
public final class TransactionalRun {
    private final Transactions parent;
    private final @Nullable OpenTransaction transaction;
    private final List<Admission> admissions;
    private final boolean undecided;

    TransactionalRun(Transactions parent, @Nullable OpenTransaction transaction, List<Admission> admissions) {
        this(parent, transaction, admissions, false);
        if (transaction == null) {
            parent.ended();
        }
    }

    private TransactionalRun(
            Transactions parent, @Nullable OpenTransaction transaction, List<Admission> admissions, boolean undecided) {
        this.parent = parent;
        this.transaction = transaction;
        this.admissions = admissions;
        this.undecided = undecided;
    }

    /** One that is to be asked for again. */
    static TransactionalRun undecided(Transactions parent) {
        return new TransactionalRun(parent, null, List.of(), true);
    }

    boolean isUndecided() {
        return undecided;
    }

    /** What to do with each delivery, in the order of the executions that it was opened with. */
    public List<Admission> admissions() {
        return admissions;
    }

    /** Those whose handler is to run. */
    public List<Execution> executions() {
        List<Execution> running = new ArrayList<>(admissions.size());
        for (Admission admission : admissions) {
            if (admission instanceof Admission.Run run) {
                running.add(run.execution());
            }
        }
        return running;
    }

    /**
     * The handler succeeded: commits.
     *
     * @param result of a single run, for duplicates; null for none, and for several runs
     */
    public RunEnd succeed(byte @Nullable [] result) {
        OpenTransaction open = requireNonNull(transaction, "nothing runs");
        List<Execution> closed = closeAll();
        try {
            RunEnd instead = write(open, closed, result);
            return instead != null ? instead : commit(open, closed, result);
        } finally {
            parent.ended();
        }
    }

    /** What has to be in the transaction before it commits; null when it is. */
    private @Nullable RunEnd write(OpenTransaction open, List<Execution> closed, byte @Nullable [] result) {
        try {
            for (Execution execution : closed) {
                byte[] stored = execution.stored(result);
                if (stored != null && execution.hasRecord()) {
                    keepResult(open, requireNonNull(execution.key()), stored);
                }
            }
            List<Execution> leased = leased(closed);
            List<WriteResult> answers = leased.isEmpty()
                    ? List.of()
                    : completeAll(
                            open,
                            leased.stream()
                                    .map(execution -> completion(execution, result))
                                    .toList());
            List<Execution> lost = new ArrayList<>(0);
            for (int i = 0; i < leased.size(); i++) {
                if (!answers.get(i).isApplied()) {
                    lost.add(leased.get(i));
                }
            }
            return lost.isEmpty() ? null : leaseLost(open, closed, lost);
        } catch (BrokenTransactionException e) { // the handler's doing: deferred, it would come again for ever
            open.rollback();
            return failed(closed, e);
        } catch (DedupStoreException e) {
            open.rollback();
            boolean byOthers = open.isUndoneByOthers(e);
            if (!byOthers) {
                parent.failed();
            }
            return undone(byOthers ? DeferReason.ROLLED_BACK : DeferReason.STORE_UNAVAILABLE, closed, e);
        }
    }

    /** Without a result that the database doesn't take: rolling back for it would have the message run again for ever. */
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

    private static List<Execution> leased(List<Execution> closed) {
        List<Execution> leased = new ArrayList<>(closed.size());
        for (Execution execution : closed) {
            if (execution.mode() == DedupMode.LEASED_TRANSACTIONAL && execution.guard() == Guard.CLAIMED) {
                leased.add(execution);
            }
        }
        return leased;
    }

    private static CompleteRequest completion(Execution execution, byte @Nullable [] result) {
        return new CompleteRequest(
                requireNonNull(execution.claim()),
                execution.topic().policy().window(),
                execution.stored(result),
                false);
    }

    /** Somebody else may be running a message: what was done here must not be durable. */
    private RunEnd leaseLost(OpenTransaction open, List<Execution> closed, List<Execution> lost) {
        open.rollback();
        lost.forEach(parent::lost);
        List<Execution> others =
                closed.stream().filter(execution -> !lost.contains(execution)).toList();
        boolean unused = parent.release(others, null);
        return new RunEnd.NotRun(parent.deferral(lost.get(0), DeferReason.LEASE_LOST, null));
    }

    private RunEnd commit(OpenTransaction open, List<Execution> closed, byte @Nullable [] result) {
        CommitResult answer = open.commit();
        if (answer instanceof CommitResult.Committed) {
            parent.committed(open, closed, result);
            for (Execution execution : closed) {
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
            return failed(closed, rolledBack.cause());
        }
        Throwable cause = ((CommitResult.Unknown) answer).cause();
        parent.abandon(closed);
        return new RunEnd.NotRun(parent.deferral(executions().get(0), DeferReason.COMMIT_UNKNOWN, cause));
    }

    /** The handler failed: rolls back. An exception that tells of a deadlock is no failure of the handler. */
    public RunEnd fail(Throwable cause) {
        OpenTransaction open = requireNonNull(transaction, "nothing runs");
        List<Execution> closed = closeAll();
        try {
            open.rollback(); // first: a release would wait for what this has locked
            boolean undone = !(cause instanceof Error) && open.isUndoneByOthers(cause);
            return undone ? undone(DeferReason.ROLLED_BACK, closed, cause) : failed(closed, cause);
        } finally {
            parent.ended();
        }
    }

    private RunEnd failed(List<Execution> closed, Throwable cause) {
        boolean lost = parent.release(closed, cause);
        boolean leased = closed.stream().anyMatch(execution -> execution.mode() == DedupMode.LEASED_TRANSACTIONAL);
        return lost && leased && !(cause instanceof Error)
                ? RunEnd.NotRun.failedWithoutClaim(executions().get(0), cause)
                : new RunEnd.Failed(cause);
    }

    private RunEnd undone(DeferReason reason, List<Execution> closed, Throwable cause) {
        boolean unused = parent.release(closed, cause);
        return new RunEnd.NotRun(parent.deferral(executions().get(0), reason, cause));
    }

    private List<Execution> closeAll() {
        List<Execution> closed = executions();
        closed.removeIf(execution -> !execution.close());
        return closed;
    }
}
