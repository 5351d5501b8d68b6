package io.dedup.simulation.store;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.store.DedupStore;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.store.transaction.TransactionalRecords;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A database as one process reaches it, which may die. Thread-safe; a transaction belongs to the thread that has opened it. */
public final class DatabaseProcess implements TransactionalRecords {
    private final SimulatedDatabase database;
    private final boolean holdsClaims;
    private final Runnable dies;
    private final Map<Thread, DatabaseTransaction> current = new ConcurrentHashMap<>();
    private volatile boolean dead;

    /**
     * @param holdsClaims whether the claims are in the same table
     * @param dies is run when the process dies in the middle of a transaction
     */
    public DatabaseProcess(SimulatedDatabase database, boolean holdsClaims, Runnable dies) {
        this.database = database;
        this.holdsClaims = holdsClaims;
        this.dies = dies;
    }

    /** An effect of the handler that runs on this thread: in its transaction, if there is one. */
    public void effect(String id) {
        DatabaseTransaction open = current.get(Thread.currentThread());
        if (open == null) {
            database.effect(id);
        } else {
            open.effect(id);
        }
    }

    /** Whether a handler's statement failed because of another transaction: nobody has to give the message up for that. */
    public boolean isUndoneByOthers(Throwable failure) {
        return DatabaseTransaction.isDeadlock(failure);
    }

    void unbind(DatabaseTransaction transaction) {
        current.remove(Thread.currentThread(), transaction);
    }

    boolean isDead() {
        return dead;
    }

    /** The process reaches nothing any more. */
    public void kill() {
        dead = true;
    }

    void die() {
        if (!dead) {
            kill();
            database.step("the process dies");
            dies.run();
        }
    }

    @Override
    public String name() {
        return "simulated";
    }

    @Override
    public boolean holdsClaimsOf(DedupStore store) {
        return holdsClaims;
    }

    @Override
    public OperatorResult forget(DedupKey key, LiveLease liveLease) {
        if (dead) {
            throw new DedupStoreException("simulated: the process is dead", null);
        }
        return database.forget(key, liveLease);
    }

    @Override
    public long concurrentRecords() {
        return Long.MAX_VALUE;
    }

    /** Asked on other threads, too. */
    @Override
    public void ping(Duration timeout) {
        if (dead) {
            throw new DedupStoreException("simulated: the process is dead", null);
        }
    }

    @Override
    public RecordTransaction begin(Duration timeout) {
        if (current.containsKey(Thread.currentThread())) {
            throw new IllegalStateException("the thread is already in a transaction");
        }
        database.count("begin");
        if (dead || database.happens("an outage of the database", "begin")) {
            database.step("doesn't answer a begin");
            throw new DedupStoreException("simulated: the database is down", null);
        }
        DatabaseTransaction transaction = new DatabaseTransaction(database, this);
        current.put(Thread.currentThread(), transaction);
        return transaction;
    }
}
