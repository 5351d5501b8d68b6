package io.dedup.internal.transaction;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupStoreException;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.internal.run.RemainingWindow;
import io.dedup.policy.Window;
import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.store.transaction.TransactionalRecords;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls a {@link RecordTransaction}. Whatever it throws or fails to answer becomes a {@link DedupStoreException}, which
 * is also reported to the listeners. If the thread's interrupt flag is set, it is cleared for the call and restored
 * afterwards.
 */
final class OpenTransaction {
    private final RecordTransaction transaction;
    private final String name;
    private final SafeListeners<DedupListener> notifier;
    private long recordsAskedAt;
    private final Supplier<CommitResult> commit;
    private boolean ended;

    private OpenTransaction(RecordTransaction transaction, String name, SafeListeners<DedupListener> notifier) {
        this.transaction = transaction;
        this.name = name;
        this.notifier = notifier;
        this.commit = transaction::commit; // made here: nothing may fail between the mark that it ended and the call
    }

    /** Begins a transaction; none is open if this throws. */
    public static OpenTransaction begin(
            TransactionalRecords records, Duration timeout, SafeListeners<DedupListener> notifier) {
        return begin(records.name(), notifier, () -> records.begin(timeout));
    }

    /** Begins a transaction in which records are claimed before anything else. */
    public static OpenTransaction beginWithRecords(
            TransactionalRecords records, Duration timeout, SafeListeners<DedupListener> notifier) {
        return begin(records.name(), notifier, () -> records.beginWithRecords(timeout));
    }

    /** Checks that a transaction can be opened and accepts writes. */
    public static void ping(TransactionalRecords records, Duration timeout, SafeListeners<DedupListener> notifier) {
        boolean unused = call("begin", records.name(), notifier, () -> {
            records.ping(timeout);
            return true;
        });
    }

    private static OpenTransaction begin(
            String name, SafeListeners<DedupListener> notifier, Supplier<@Nullable RecordTransaction> begin) {
        RecordTransaction begun = call("begin", name, notifier, begin);
        try {
            return new OpenTransaction(begun, name, notifier);
        } catch (Throwable e) { // nobody else could end it
            begun.rollback();
            throw e;
        }
    }

    public List<RecordResult> claimAll(List<RecordRequest> requests) {
        recordsAskedAt = System.nanoTime();
        return all("claim", requests.size(), () -> transaction.claimAll(requests));
    }

    /** The rest of a window that a record of this transaction has reported or started. */
    RemainingWindow rest(Window window) {
        return new RemainingWindow(window, recordsAskedAt);
    }

    public List<WriteResult> completeAll(List<CompleteRequest> requests) {
        return all("complete", requests.size(), () -> transaction.completeAll(requests));
    }

    public void removeAll(List<DedupKey> keys) {
        boolean unused = call("release", name, notifier, () -> {
            transaction.removeAll(keys);
            return true;
        });
    }

    public void keepResult(DedupKey key, byte[] result) {
        boolean unused = call("complete", name, notifier, () -> {
            transaction.keepResult(key, result);
            return true;
        });
    }

    /**
     * Commits. A lost answer counts as unknown, because treating it as a rollback could make the effect happen twice.
     */
    public CommitResult commit() {
        ended = true;
        try {
            return call("commit", name, notifier, commit);
        } catch (DedupStoreException e) {
            return new CommitResult.Unknown(e);
        }
    }

    /**
     * Rolls back, unless it has ended. If this fails, the database rolls back at the latest when it notices that the
     * connection is closed.
     */
    public void rollback() {
        if (ended) {
            return;
        }
        ended = true;
        try {
            boolean unused = call("rollback", name, notifier, () -> {
                transaction.rollback();
                return true;
            });
        } catch (DedupStoreException e) {
            // Already reported to the listeners.
        }
    }

    public boolean isUndoneByOthers(@Nullable Throwable failure) {
        try {
            return transaction.isUndoneByOthers(failure);
        } catch (RuntimeException e) {
            return false;
        }
    }

    private <A> List<A> all(String operation, int expected, Supplier<List<A>> call) {
        return call(operation, name, notifier, () -> {
            List<A> answers = call.get();
            if (answers.size() != expected || hasNull(answers)) { // answers cannot be matched to requests
                throw new IllegalStateException(
                        "the store returned " + answers.size() + " answers to " + expected + " requests");
            }
            return answers;
        });
    }

    /** {@code contains} fails on lists that take no null. */
    private static boolean hasNull(List<?> answers) {
        for (Object answer : answers) {
            if (answer == null) {
                return true;
            }
        }
        return false;
    }

    private static <A> A call(
            String operation, String name, SafeListeners<DedupListener> notifier, Supplier<@Nullable A> call) {
        boolean interrupted = Thread.interrupted();
        try {
            A answer = call.get();
            if (answer == null) {
                throw new IllegalStateException("the store returned null");
            }
            return answer;
        } catch (Throwable e) {
            DedupStoreException error = e instanceof DedupStoreException known
                    ? known
                    : new DedupStoreException(operation + " in a transaction of " + name + " failed: " + e, e);
            notifier.report(listener -> listener.storeError(operation, error));
            throw error;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
