package io.dedup.doubles;

import io.dedup.DedupKey;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.privacy.Erasure;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.WriteResult;
import io.dedup.store.operator.RecordEraser;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.store.transaction.TransactionalRecords;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Opens transactions of other records, and changes what the next begin and the next commit do. Thread-safe. */
public final class InterceptedTransactions implements TransactionalRecords, RecordEraser {
    private final TransactionalRecords real;
    private final AtomicReference<@Nullable Runnable> nextBegin = new AtomicReference<>();
    private final AtomicReference<@Nullable Function<RecordTransaction, CommitResult>> nextCommit =
            new AtomicReference<>();

    public InterceptedTransactions(TransactionalRecords real) {
        this.real = real;
    }

    /** Runs before the next transaction is opened. */
    public void nextBegin(Runnable before) {
        nextBegin.set(before);
    }

    /** Replaces the next commit: gets the real transaction, and its answer is the commit's. */
    public void nextCommit(Function<RecordTransaction, CommitResult> commit) {
        nextCommit.set(commit);
    }

    @Override
    public String name() {
        return real.name();
    }

    @Override
    public boolean holdsClaimsOf(DedupStore other) {
        return real.holdsClaimsOf(other);
    }

    @Override
    public OperatorResult forget(DedupKey key, LiveLease liveLease) {
        return real.forget(key, liveLease);
    }

    @Override
    public Erasure erase(String storedId, LiveLease liveLease) {
        return RecordEraser.of(real).erase(storedId, liveLease);
    }

    @Override
    public long concurrentRecords() {
        return real.concurrentRecords();
    }

    @Override
    public RecordTransaction begin(Duration timeout) {
        Runnable before = nextBegin.getAndSet(null);
        if (before != null) {
            before.run();
        }
        return new Transaction(real.begin(timeout));
    }

    private final class Transaction implements RecordTransaction {
        private final RecordTransaction real;

        private Transaction(RecordTransaction real) {
            this.real = real;
        }

        @Override
        public CommitResult commit() {
            Function<RecordTransaction, CommitResult> instead = nextCommit.getAndSet(null);
            return instead == null ? real.commit() : instead.apply(real);
        }

        @Override
        public boolean isUndoneByOthers(@Nullable Throwable failure) {
            return failure instanceof UndoneException || real.isUndoneByOthers(failure);
        }

        @Override
        public List<RecordResult> claimAll(List<RecordRequest> requests) {
            return real.claimAll(requests);
        }

        @Override
        public void removeAll(List<DedupKey> keys) {
            real.removeAll(keys);
        }

        @Override
        public void keepResult(DedupKey key, byte[] result) {
            real.keepResult(key, result);
        }

        @Override
        public List<WriteResult> completeAll(List<CompleteRequest> requests) {
            return real.completeAll(requests);
        }

        @Override
        public void rollback() {
            real.rollback();
        }
    }

    /** Stands for a deadlock: the transaction was undone by others. */
    public static final class UndoneException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
