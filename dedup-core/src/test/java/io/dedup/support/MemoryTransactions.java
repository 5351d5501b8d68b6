package io.dedup.support;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.Fingerprint;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import io.dedup.privacy.Erasure;
import io.dedup.store.ClaimResult.AlreadyDone;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.store.operator.RecordEraser;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.store.transaction.TooManyRecordsException;
import io.dedup.store.transaction.TransactionalRecords;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Transactions over a map, which fail as they are told. */
public final class MemoryTransactions implements TransactionalRecords, RecordEraser {
    /** Tells of a deadlock. */
    public static final class Deadlock extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Rec(
            Instant completedAt, Window window, @Nullable Fingerprint fingerprint, byte @Nullable [] result) {}

    private final @Nullable FaultyStore leases;
    private final Map<DedupKey, Rec> committed = new ConcurrentHashMap<>();
    private final Map<DedupKey, Object> locked = new ConcurrentHashMap<>();
    private final List<String> effects = new CopyOnWriteArrayList<>();
    private final Map<Thread, Tx> current = new ConcurrentHashMap<>();
    private final Map<String, Supplier<? extends RuntimeException>> faults = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> calls = new ConcurrentLinkedQueue<>();
    private final AtomicInteger open = new AtomicInteger();
    private @Nullable CommitResult commitAnswer;
    private boolean commitApplied;
    private int mostRecords = Integer.MAX_VALUE;
    private volatile boolean onlyRecords;

    /** @param leases whose claims these transactions complete; null when those are elsewhere */
    public MemoryTransactions(@Nullable FaultyStore leases) {
        this.leases = leases;
    }

    /** What handlers have done, and was committed. */
    public List<String> effects() {
        return List.copyOf(effects);
    }

    /** Whether the last transaction was opened for records and nothing else. */
    public boolean onlyRecords() {
        return onlyRecords;
    }

    public List<String> calls() {
        return List.copyOf(calls);
    }

    public int open() {
        return open.get();
    }

    public boolean hasRecord(DedupKey key) {
        return committed.containsKey(key);
    }

    /** An effect of the handler that runs on this thread. */
    public void effect(String name) {
        Tx tx = current.get(Thread.currentThread());
        if (tx == null) {
            throw new IllegalStateException("no transaction");
        }
        tx.work.add(name);
    }

    /** Another process's transaction handles the message. */
    public void lockElsewhere(DedupKey key) {
        locked.put(key, "elsewhere");
    }

    /** And commits. */
    public void commitElsewhere(DedupKey key, @Nullable Fingerprint fingerprint, byte @Nullable [] result) {
        committed.put(key, new Rec(Instant.now(), Window.forever(), fingerprint, result));
        locked.remove(key);
    }

    /** {@code begin}, {@code claim}, {@code remove}, {@code keep}, {@code forget} or {@code complete} fails; null heals. */
    public void failing(String call, @Nullable Supplier<? extends RuntimeException> fault) {
        if (fault == null) {
            faults.remove(call);
        } else {
            faults.put(call, fault);
        }
    }

    public void down() {
        failing("begin", () -> new DedupStoreException("database is down", null));
    }

    public void answerCommit(@Nullable CommitResult answer, boolean applied) {
        this.commitAnswer = answer;
        this.commitApplied = applied;
    }

    public void mostRecords(int most) {
        this.mostRecords = most;
    }

    private void called(String call) {
        calls.add(call);
        Supplier<? extends RuntimeException> fault = faults.get(call);
        if (fault != null) {
            throw fault.get();
        }
    }

    @Override
    public String name() {
        return "memory-transactions";
    }

    @Override
    public boolean holdsClaimsOf(DedupStore store) {
        return store == leases;
    }

    @Override
    public Erasure erase(String storedId, LiveLease liveLease) {
        calls.add("erase");
        long before = committed.size();
        committed.keySet().removeIf(key -> key.messageId().equals(storedId));
        return new Erasure(before - committed.size(), List.of());
    }

    @Override
    public OperatorResult forget(DedupKey key, LiveLease liveLease) {
        called("forget");
        return committed.remove(key) == null ? OperatorResult.ABSENT : OperatorResult.APPLIED;
    }

    @Override
    public long concurrentRecords() {
        return Long.MAX_VALUE;
    }

    @Override
    public RecordTransaction begin(Duration timeout) {
        return begin(false);
    }

    @Override
    public RecordTransaction beginWithRecords(Duration timeout) {
        return begin(true);
    }

    private RecordTransaction begin(boolean records) {
        onlyRecords = records;
        called("begin");
        if (current.get(Thread.currentThread()) != null) {
            throw new IllegalStateException("this thread has a transaction already");
        }
        Tx tx = new Tx();
        current.put(Thread.currentThread(), tx);
        open.incrementAndGet();
        return tx;
    }

    private final class Tx implements RecordTransaction {
        private final List<String> work = new ArrayList<>();
        private final Map<DedupKey, Rec> written = new HashMap<>();
        private final List<CompleteRequest> completions = new ArrayList<>();

        @Override
        public List<RecordResult> claimAll(List<RecordRequest> requests) {
            called("claim");
            if (requests.size() > mostRecords) {
                throw new TooManyRecordsException("at most " + mostRecords, null);
            }
            return List.copyOf(requests.stream().map(this::claim).toList()); // which doesn't like to be asked for null
        }

        private RecordResult claim(RecordRequest request) {
            Rec rec = committed.get(request.key());
            if (rec == null) {
                if (locked.putIfAbsent(request.key(), this) != null) {
                    return new RecordResult.InFlight(Duration.ZERO);
                }
                rec = committed.get(request.key()); // the one that had the lock may have committed before it gave it up
                if (rec != null) {
                    locked.remove(request.key(), this);
                }
            }
            if (rec != null) {
                boolean differs = rec.fingerprint() != null
                        && request.fingerprint() != null
                        && !rec.fingerprint().equals(request.fingerprint());
                return differs
                        ? new RecordResult.Conflict()
                        : new RecordResult.Done(
                                new AlreadyDone(rec.completedAt(), 1, rec.result()), rec.window(), rec.fingerprint());
            }
            written.put(request.key(), new Rec(Instant.now(), request.window(), request.fingerprint(), null));
            return new RecordResult.Written(77);
        }

        @Override
        public void removeAll(List<DedupKey> keys) {
            called("remove");
            keys.forEach(key -> {
                written.remove(key);
                locked.remove(key, this);
            });
        }

        @Override
        public void keepResult(DedupKey key, byte[] result) {
            called("keep");
            Rec rec = written.get(key);
            written.put(key, new Rec(rec.completedAt(), rec.window(), rec.fingerprint(), result));
        }

        @Override
        public List<WriteResult> completeAll(List<CompleteRequest> requests) {
            called("complete");
            List<WriteResult> answers = new ArrayList<>();
            for (CompleteRequest request : requests) {
                boolean mine = leases.find(request.claim().key())
                        .map(StoredRecord::owner)
                        .filter(request.claim().owner()::equals)
                        .isPresent();
                answers.add(mine ? WriteResult.applied() : WriteResult.leaseLost());
                completions.add(request);
            }
            return answers;
        }

        @Override
        public CommitResult commit() {
            calls.add("commit");
            if (commitAnswer == null || commitApplied) {
                committed.putAll(written);
                effects.addAll(work);
                completions.forEach(
                        request -> leases.intact().complete(List.of(request)).get(0));
            }
            end();
            return commitAnswer == null ? new CommitResult.Committed() : commitAnswer;
        }

        @Override
        public void rollback() {
            calls.add("rollback");
            end();
        }

        private void end() {
            if (current.get(Thread.currentThread()) != this) {
                throw new IllegalStateException("ended twice");
            }
            current.remove(Thread.currentThread());
            open.decrementAndGet();
            written.keySet().forEach(key -> locked.remove(key, this));
        }

        @Override
        public boolean isUndoneByOthers(@Nullable Throwable failure) {
            Throwable each = failure;
            while (each != null && !(each instanceof Deadlock)) {
                each = each.getCause();
            }
            return each != null;
        }
    }
}
