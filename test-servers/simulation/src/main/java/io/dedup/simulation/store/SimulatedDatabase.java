package io.dedup.simulation.store;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.Fingerprint;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import io.dedup.simulation.draw.Draws;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.store.memory.InMemoryDedupStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A database with the effects of handlers and with dedup records, which commit together. What is written in a transaction locks its
 * message's record until the transaction ends. The session of a connection that has died is noticed a while later: until then its
 * transaction is open, and its commit may still be executed. Thread-safe.
 */
public final class SimulatedDatabase {
    private static final Window LONG = Window.of(Duration.ofDays(1));
    /** After so many polls the lease of a claim ends whose transaction's commit got no answer. */
    private static final int LEASE_TICKS = 8;

    private final InMemoryDedupStore records;
    private final Draws draws;
    private final Consumer<String> steps;
    private final Map<String, Integer> calls = new HashMap<>();
    private final Map<DedupKey, DatabaseTransaction> locks = new HashMap<>();
    private final Map<DatabaseTransaction, Integer> unnoticed = new HashMap<>();
    private Consumer<String> effects = id -> {};
    private Consumer<String> refused = id -> {};
    private Consumer<String> handling = id -> {};
    private final boolean processesDie;
    private int leaseEndsIn;
    private int transactions;

    /**
     * @param records the table; claims outside a transaction are in it, too, in the modes that have such claims
     * @param processesDie whether a process may die in the middle of a transaction
     */
    public SimulatedDatabase(InMemoryDedupStore records, boolean processesDie, Draws draws, Consumer<String> steps) {
        this.processesDie = processesDie;
        this.records = records;
        this.draws = draws;
        this.steps = steps;
    }

    /**
     * @param committed gets the ID of each effect that is durable
     * @param notCommitted gets the ID of each effect that the database has refused to commit, because of the effect
     * @param inHandler is called with the ID of each effect that is about to be written in a transaction
     */
    public void observe(Consumer<String> committed, Consumer<String> notCommitted, Consumer<String> inHandler) {
        handling = inHandler;
        effects = committed;
        refused = notCommitted;
    }

    /** The table as processes reach it with single statements: they don't wait for the rows of open transactions. */
    public DedupStore claims() {
        return (DedupStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DedupStore.class}, (proxy, method, arguments) -> {
                    try {
                        if (method.getName().equals("claim") && arguments[0] instanceof List<?> requests) {
                            return claim(requests);
                        }
                        if (method.getName().equals("forget")) {
                            return forget((DedupKey) arguments[0], (LiveLease) arguments[1]);
                        }
                        if ((method.getName().equals("release")
                                        || method.getName().equals("complete"))
                                && arguments[0] instanceof List<?> requests) {
                            refuseLocked(requests);
                        }
                        return method.invoke(records, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private synchronized List<ClaimResult> claim(List<?> requests) {
        List<ClaimResult> answers = new ArrayList<>();
        for (Object each : requests) {
            ClaimRequest request = (ClaimRequest) each;
            answers.add(
                    locks.containsKey(request.key())
                            ? new ClaimResult.InFlight(Duration.ofMillis(1))
                            : records.claim(List.of(request)).get(0));
        }
        return answers;
    }

    private synchronized void refuseLocked(List<?> requests) {
        for (Object each : requests) {
            DedupKey key = each instanceof CompleteRequest complete
                    ? complete.claim().key()
                    : ((io.dedup.store.ReleaseRequest) each).claim().key();
            refuseLocked(key);
        }
    }

    private void refuseLocked(DedupKey key) {
        if (locks.containsKey(key)) {
            steps.accept("database: a statement waits for the row of " + key.messageId() + " until it times out");
            throw new DedupStoreException("simulated: lock timeout", null);
        }
    }

    synchronized OperatorResult forget(DedupKey key, LiveLease liveLease) {
        refuseLocked(key);
        return records.forget(key, liveLease);
    }

    /** Whether the nth of these calls meets this event. */
    synchronized boolean happens(String what, String call) {
        return draws.happens(what, "at " + call + " " + calls.get(call));
    }

    synchronized boolean dies(String what, String call) {
        return processesDie && happens(what, call);
    }

    synchronized void count(String call) {
        calls.merge(call, 1, Integer::sum);
    }

    void step(String step) {
        steps.accept("database: " + step);
    }

    synchronized String nextOwner() {
        return "transaction-" + ++transactions;
    }

    /** Locks the record of a message; false if another transaction has locked it. */
    synchronized boolean lock(DedupKey key, DatabaseTransaction by) {
        return locks.putIfAbsent(key, by) == null || locks.get(key) == by;
    }

    synchronized boolean isLocked(DedupKey key) {
        return locks.containsKey(key);
    }

    synchronized void unlock(DedupKey key, DatabaseTransaction by) {
        locks.remove(key, by);
    }

    Optional<StoredRecord> find(DedupKey key) {
        return records.find(key);
    }

    /** A transaction ends here, with its effects or without. */
    synchronized void end(DatabaseTransaction transaction, boolean commits) {
        locks.values().removeIf(each -> each == transaction);
        unnoticed.remove(transaction);
        if (commits) {
            transaction
                    .written()
                    .forEach((key, result) -> write(key, result, transaction.fingerprint(key), transaction.owner()));
            transaction.completions().forEach(request -> apply(List.of(request)));
            transaction.effects().forEach(effects);
        }
    }

    private void write(DedupKey key, byte[] result, @Nullable Fingerprint fingerprint, Owner owner) {
        ClaimResult claimed = records.claim(
                        List.of(new ClaimRequest(key, owner, Duration.ofSeconds(1), fingerprint, true)))
                .get(0);
        if (!(claimed instanceof ClaimResult.Acquired acquired)) {
            throw new IllegalStateException("a locked record of " + key + " has changed: " + claimed);
        }
        apply(List.of(new CompleteRequest(
                new Claim(key, owner, acquired.attempt()), LONG, result.length == 0 ? null : result, false)));
    }

    private void apply(List<CompleteRequest> requests) {
        if (!records.complete(requests).get(0).isApplied()) {
            throw new IllegalStateException("a locked record has changed: " + requests);
        }
    }

    /** A session whose connection has died: the server notices that later. */
    synchronized void leave(DatabaseTransaction transaction) {
        unnoticed.put(transaction, draws.isOver() ? 0 : 1 + draws.below(6, "noticed " + transaction.owner()));
    }

    /** A commit gets no answer: claims outside of the transaction are left to their leases. */
    synchronized void unanswered() {
        leaseEndsIn = LEASE_TICKS;
    }

    /** Another poll. Returns whether the leases end that were left to themselves. */
    public synchronized boolean tick() {
        for (DatabaseTransaction each : List.copyOf(unnoticed.keySet())) {
            int left = unnoticed.merge(each, -1, Integer::sum);
            if (left <= 0 || draws.isOver()) {
                step("the end of " + each.owner().value() + " is noticed" + (each.isLate() ? ": it commits" : ""));
                end(each, each.isLate());
            }
        }
        if (leaseEndsIn == 0) {
            return false;
        }
        leaseEndsIn = draws.isOver() ? 0 : leaseEndsIn - 1;
        return leaseEndsIn == 0;
    }

    /** An effect without a transaction. */
    public void effect(String id) {
        effects.accept(id);
    }

    void handling(String id) {
        handling.accept(id);
    }

    /** The database refuses the effects of a transaction for good. */
    void refuse(DatabaseTransaction transaction) {
        transaction.effects().forEach(refused);
    }

    /** Another process commits the effect of a message with its claim's completion. Returns whether the claim was still its own. */
    synchronized boolean commitElsewhere(Claim claim, Runnable effect) {
        if (locks.containsKey(claim.key())) {
            return false;
        }
        WriteResult answer = requireNonNull(records.complete(List.of(new CompleteRequest(claim, LONG, null, false))))
                .get(0);
        if (answer.isApplied()) {
            effect.run();
        }
        return answer.isApplied();
    }
}
