package io.dedup.store.jdbc.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.store.transaction.TransactionalRecords;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A transaction on a thread of its own. */
public final class Session implements AutoCloseable {
    public static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final RecordTransaction transaction;
    private boolean open = true;

    public Session(TransactionalRecords records) {
        this(records, TIMEOUT);
    }

    public Session(TransactionalRecords records, Duration timeout) {
        this.transaction = get(thread.submit(() -> records.beginWithRecords(timeout)));
    }

    /** No transaction has left anything on this thread. What it has left is removed: later tests run on it, too. */
    public static void assertNothingBound() {
        Map<Object, Object> bound = Map.copyOf(TransactionSynchronizationManager.getResourceMap());
        boolean synchronizing = TransactionSynchronizationManager.isSynchronizationActive();
        boolean active = TransactionSynchronizationManager.isActualTransactionActive();
        bound.keySet().forEach(TransactionSynchronizationManager::unbindResourceIfPossible);
        TransactionSynchronizationManager.clear();

        assertThat(bound).isEmpty();
        assertThat(synchronizing).isFalse();
        assertThat(active).isFalse();
    }

    public static RecordRequest request(DedupKey key) {
        return new RecordRequest(key, Messages.WINDOW, null);
    }

    public <A> A call(Function<RecordTransaction, A> work) {
        return get(start(work));
    }

    public <A> Future<A> start(Function<RecordTransaction, A> work) {
        return thread.submit(() -> work.apply(transaction));
    }

    public void run(Runnable work) {
        call(any -> {
            work.run();
            return any;
        });
    }

    public List<RecordResult> claimAll(List<DedupKey> keys) {
        return call(open -> open.claimAll(keys.stream().map(Session::request).toList()));
    }

    public List<WriteResult> completeAll(List<CompleteRequest> requests) {
        return call(open -> open.completeAll(requests));
    }

    public RecordResult claim(DedupKey key) {
        return claimAll(List.of(key)).get(0);
    }

    public boolean isUndoneByOthers(Throwable failure) {
        return call(open -> open.isUndoneByOthers(failure));
    }

    public CommitResult commit() {
        open = false;
        return call(RecordTransaction::commit);
    }

    public void rollback() {
        open = false;
        call(any -> {
            any.rollback();
            return any;
        });
    }

    public static <A> A get(Future<A> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new AssertionError(e.getCause());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        if (open) {
            rollback();
        }
        thread.shutdown();
    }
}
