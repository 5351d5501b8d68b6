package io.dedup.simulation.store;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.Fingerprint;
import io.dedup.policy.Window;
import io.dedup.store.ClaimResult.AlreadyDone;
import io.dedup.store.CompleteRequest;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.WriteResult;
import io.dedup.store.transaction.BrokenTransactionException;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.store.transaction.TooManyRecordsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A transaction of a {@link SimulatedDatabase}, with what can happen to it at each statement. Used by one thread. */
final class DatabaseTransaction implements RecordTransaction {
    private static final String DEADLOCK = "a deadlock";
    private static final String DEATH = "the connection's death";

    private enum Phase {
        OPEN,
        /** The database has rolled it back. */
        UNDONE,
        /** Its connection is gone; the server may not know that yet. */
        CUT_OFF,
        ENDED
    }

    private final SimulatedDatabase database;
    private final DatabaseProcess process;
    private final Owner owner;
    private final Map<DedupKey, byte[]> written = new LinkedHashMap<>();
    private final Map<DedupKey, Fingerprint> fingerprints = new HashMap<>();
    private final List<CompleteRequest> completions = new ArrayList<>();
    private final List<String> effects = new ArrayList<>();
    private Phase state = Phase.OPEN;
    private boolean late;

    DatabaseTransaction(SimulatedDatabase database, DatabaseProcess process) {
        this.database = database;
        this.process = process;
        this.owner = new Owner(database.nextOwner());
    }

    Owner owner() {
        return owner;
    }

    Map<DedupKey, byte[]> written() {
        return written;
    }

    @Nullable
    Fingerprint fingerprint(DedupKey key) {
        return fingerprints.get(key);
    }

    List<CompleteRequest> completions() {
        return completions;
    }

    List<String> effects() {
        return effects;
    }

    /** Whether its commit is executed although nobody waits for it any more. */
    boolean isLate() {
        return late;
    }

    /** The handler writes. */
    void effect(String id) {
        database.handling(id);
        statement("effect");
        effects.add(id);
    }

    /** Each statement can meet a deadlock, or the end of its connection or its process. */
    private void statement(String call) {
        database.count(call);
        if (state == Phase.UNDONE) {
            throw new BrokenTransactionException("simulated: the transaction was rolled back", null);
        }
        if (process.isDead() || database.dies("the process's death", call)) {
            process.die();
            throw cutOff(call);
        }
        if (state == Phase.CUT_OFF || database.happens(DEATH, call)) {
            throw cutOff(call);
        }
        if (database.happens(DEADLOCK, call)) {
            database.step("a deadlock at " + call + ": " + effects + " are rolled back");
            state = Phase.UNDONE;
            database.end(this, false);
            throw new DedupStoreException("simulated: " + call + " failed", new DeadlockException());
        }
    }

    private DedupStoreException cutOff(String call) {
        if (state == Phase.OPEN) {
            database.step("the connection dies at " + call + ", " + effects + " aren't committed");
            state = Phase.CUT_OFF;
            database.leave(this);
        }
        return new DedupStoreException("simulated: no connection at " + call, null);
    }

    @Override
    public List<RecordResult> claimAll(List<RecordRequest> requests) {
        statement("record");
        if (requests.size() > 1 && database.happens("too few locks", "record")) {
            throw new TooManyRecordsException("simulated: too many records", null);
        }
        return requests.stream().map(this::claim).toList();
    }

    private RecordResult claim(RecordRequest request) {
        DedupKey key = request.key();
        if (!database.lock(key, this)) {
            return new RecordResult.InFlight(Duration.ZERO);
        }
        Optional<StoredRecord> found = database.find(key);
        State state = found.map(StoredRecord::state).orElse(State.RELEASED);
        if (state == State.DONE || state == State.PROCESSING) {
            database.unlock(key, this);
            StoredRecord record = found.orElseThrow();
            if (record.fingerprint() != null
                    && request.fingerprint() != null
                    && !record.fingerprint().equals(request.fingerprint())) {
                return new RecordResult.Conflict();
            }
            return state == State.PROCESSING
                    ? new RecordResult.InFlight(record.leaseRemaining())
                    : new RecordResult.Done(
                            new AlreadyDone(requireNonNull(record.completedAt()), record.attempt(), record.result()),
                            Window.of(Duration.ofHours(1)),
                            record.fingerprint());
        }
        written.put(key, new byte[0]);
        if (request.fingerprint() != null) {
            fingerprints.put(key, request.fingerprint());
        }
        return new RecordResult.Written(
                1 + found.map(StoredRecord::fencingToken).orElse(0L));
    }

    @Override
    public void removeAll(List<DedupKey> keys) {
        statement("removal");
        keys.forEach(key -> {
            if (written.remove(key) != null) {
                database.unlock(key, this);
            }
        });
    }

    @Override
    public void keepResult(DedupKey key, byte[] result) {
        statement("result");
        written.replace(key, result);
    }

    @Override
    public List<WriteResult> completeAll(List<CompleteRequest> requests) {
        statement("completion");
        return requests.stream().map(this::complete).toList();
    }

    private WriteResult complete(CompleteRequest request) {
        DedupKey key = request.claim().key();
        if (!database.lock(key, this)) {
            throw new DedupStoreException("simulated: lock timeout", null);
        }
        boolean own = database.find(key)
                .filter(record -> record.state() != State.DONE)
                .map(StoredRecord::owner)
                .filter(request.claim().owner()::equals)
                .isPresent();
        if (!own) {
            database.unlock(key, this);
            return WriteResult.leaseLost();
        }
        completions.add(request);
        return WriteResult.applied();
    }

    @Override
    public CommitResult commit() {
        process.unbind(this);
        try {
            statement("commit");
        } catch (BrokenTransactionException e) { // the handler went on after a failure
            database.refuse(this);
            return new CommitResult.RolledBack(e);
        } catch (DedupStoreException e) {
            if (e.getCause() instanceof DeadlockException) {
                return new CommitResult.RolledBack(e);
            }
            database.unanswered();
            return new CommitResult.Unknown(e);
        }
        if (database.happens("a refusal", "commit")) {
            database.step("refuses to commit " + effects);
            ended(false);
            database.refuse(this);
            return new CommitResult.RolledBack(new IllegalStateException("simulated: a constraint"));
        }
        if (database.happens("a late commit", "commit")) {
            late = true;
            CommitResult unknown = new CommitResult.Unknown(cutOff("commit, which is executed later"));
            database.unanswered();
            return unknown;
        }
        database.step("commits " + effects);
        ended(true);
        boolean dies = database.dies("the process's death after it", "commit");
        if (dies || database.happens("a lost answer", "commit")) {
            database.step(dies ? "and the process dies" : "and the answer is lost");
            if (dies) {
                process.die();
            }
            database.unanswered();
            return new CommitResult.Unknown(new DedupStoreException("simulated: no answer to the commit", null));
        }
        return new CommitResult.Committed();
    }

    private void ended(boolean commits) {
        state = Phase.ENDED;
        database.end(this, commits);
    }

    @Override
    public void rollback() {
        process.unbind(this);
        if (state == Phase.OPEN) {
            if (process.isDead()) {
                cutOff("rollback");
            } else {
                database.step("rolls back " + effects);
                ended(false);
            }
        }
    }

    @Override
    public boolean isUndoneByOthers(@Nullable Throwable failure) {
        return isDeadlock(failure);
    }

    static boolean isDeadlock(@Nullable Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof DeadlockException) {
                return true;
            }
        }
        return false;
    }

    private static final class DeadlockException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
