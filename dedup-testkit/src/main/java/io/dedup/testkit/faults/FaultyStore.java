package io.dedup.testkit.faults;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import io.dedup.privacy.Erasure;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StepRecords;
import io.dedup.store.StepRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult;
import io.dedup.store.operator.ImportingStore;
import io.dedup.store.operator.RecordEraser;
import io.dedup.store.operator.ResettableStore;
import io.dedup.store.operator.StuckQuery;
import io.dedup.store.operator.StuckRecordFinder;
import io.dedup.store.operator.StuckRecords;
import io.dedup.testkit.faults.StoreFault.Moment;
import io.dedup.testkit.faults.StoreFault.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A store that delegates to another one, and fails as injected; pass it to the application in place of the real store.
 * A fault lasts until it has hit as often as it specifies, or until {@link #heal()}. Thread-safe.
 *
 * <p>It runs inside the application and sees only calls of the store interface. Records that are written in a business
 * transaction bypass it: use a {@link TcpProxy} for these (mode LEASED_TRANSACTIONAL accepts no store but the table
 * itself).
 */
public final class FaultyStore
        implements DedupStore, StepRecords, StuckRecordFinder, ResettableStore, ImportingStore, RecordEraser {
    private final List<ActiveFault> faults = new CopyOnWriteArrayList<>();
    private final AtomicInteger struck = new AtomicInteger();
    private volatile DedupStore store;
    private volatile CountDownLatch healed = new CountDownLatch(1);

    private FaultyStore(DedupStore store) {
        this.store = Objects.requireNonNull(store, "store");
    }

    /** Returns a store that delegates to the given one and has no faults yet. */
    public static FaultyStore around(DedupStore store) {
        return new FaultyStore(store);
    }

    /** Adds a fault. If several faults hit one call, the first one that fails it wins, and delays add up. */
    public FaultyStore inject(StoreFault fault) {
        faults.add(new ActiveFault(fault));
        return this;
    }

    /** Makes every call fail before anything is applied, until {@link #heal()}. */
    public FaultyStore down() {
        return inject(StoreFault.before());
    }

    /** Ends all faults, including the current delays of slow calls. */
    public void heal() {
        faults.clear();
        CountDownLatch before = healed;
        healed = new CountDownLatch(1);
        before.countDown();
    }

    /**
     * Delegates to another store from now on, for example one that was restarted or has lost its data. The previous
     * store isn't closed.
     */
    public void replaceBy(DedupStore other) {
        store = Objects.requireNonNull(other, "other");
    }

    /** Returns how many calls have failed so far; slow calls don't count. */
    public int struck() {
        return struck.get();
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public Duration attemptRetention() {
        return store.attemptRetention();
    }

    @Override
    public List<String> warnings() {
        return store.warnings();
    }

    @Override
    public List<ClaimResult> claim(List<ClaimRequest> requests) {
        return all(Operation.CLAIM, requests, ClaimRequest::key, all -> store.claim(all), ClaimResult.StoreError::new);
    }

    @Override
    public List<WriteResult> complete(List<CompleteRequest> requests) {
        return all(
                Operation.COMPLETE,
                requests,
                request -> request.claim().key(),
                all -> store.complete(all),
                WriteResult.StoreError::new);
    }

    @Override
    public List<WriteResult> release(List<ReleaseRequest> requests) {
        return all(
                Operation.RELEASE,
                requests,
                request -> request.claim().key(),
                all -> store.release(all),
                WriteResult.StoreError::new);
    }

    @Override
    public List<WriteResult> renew(List<RenewRequest> requests) {
        return all(
                Operation.RENEW,
                requests,
                request -> request.claim().key(),
                all -> store.renew(all),
                WriteResult.StoreError::new);
    }

    @Override
    public List<WriteResult> keepSteps(List<StepRequest> requests) {
        return all(
                Operation.STEP,
                requests,
                request -> request.claim().key(),
                all -> StepRecords.of(store).keepSteps(all),
                WriteResult.StoreError::new);
    }

    @Override
    public Optional<StoredRecord> find(DedupKey key) {
        return one(Operation.OPERATOR, key, () -> store.find(key));
    }

    @Override
    public StuckRecords findStuck(StuckQuery query) {
        return one(
                Operation.OPERATOR,
                ActiveFault.NO_KEY,
                () -> StuckRecordFinder.of(store).findStuck(query));
    }

    @Override
    public OperatorResult forget(DedupKey key, LiveLease liveLease) {
        return one(Operation.OPERATOR, key, () -> store.forget(key, liveLease));
    }

    @Override
    public OperatorResult forceDone(DedupKey key, Window window, LiveLease liveLease) {
        return one(Operation.OPERATOR, key, () -> store.forceDone(key, window, liveLease));
    }

    @Override
    public void checkErasing() {
        RecordEraser.of(store).checkErasing();
    }

    @Override
    public Erasure erase(String storedId, LiveLease liveLease) {
        return one(
                Operation.OPERATOR,
                ActiveFault.NO_KEY,
                () -> RecordEraser.of(store).erase(storedId, liveLease));
    }

    @Override
    public long forgetAll() {
        return one(
                Operation.OPERATOR,
                ActiveFault.NO_KEY,
                () -> ResettableStore.of(store).forgetAll());
    }

    @Override
    public List<ImportResult> importDone(List<ImportRequest> requests) {
        return all(
                Operation.OPERATOR,
                requests,
                ImportRequest::key,
                all -> ImportingStore.of(store, store.name()).importDone(all),
                ImportResult.StoreError::new);
    }

    @Override
    public int maxResultBytes() {
        return store.maxResultBytes();
    }

    @Override
    public void ping() {
        boolean unused = one(Operation.PING, ActiveFault.NO_KEY, () -> {
            store.ping();
            return true;
        });
    }

    /** Heals, and closes the store that is delegated to now. */
    @Override
    public void close() {
        heal();
        store.close();
    }

    private <A> A one(Operation operation, DedupKey key, Supplier<A> real) {
        Strike strike = strike(operation, List.of(key));
        if (strike.keys().isEmpty()) {
            return real.get();
        }
        if (strike.moment() == Moment.AFTER) {
            A unused = real.get();
        }
        throw failure(operation, strike.moment());
    }

    private <Q, A> List<A> all(
            Operation operation,
            List<Q> requests,
            Function<Q, DedupKey> keyOf,
            Function<List<Q>, List<A>> real,
            Function<DedupStoreException, A> error) {
        Strike strike = strike(operation, requests.stream().map(keyOf).toList());
        if (strike.keys().isEmpty()) {
            return real.apply(requests);
        }
        boolean after = strike.moment() == Moment.AFTER;
        List<Q> served = requests.stream()
                .filter(request -> after || !strike.keys().contains(keyOf.apply(request)))
                .toList();
        List<A> answers = served.isEmpty() ? List.of() : real.apply(served);
        if (strike.keys().size() == requests.size()) {
            throw failure(operation, strike.moment());
        }
        List<A> all = new ArrayList<>(requests.size());
        int next = 0;
        for (Q request : requests) {
            boolean hit = strike.keys().contains(keyOf.apply(request));
            A answer = hit && !after ? null : answers.get(next++);
            all.add(hit || answer == null ? error.apply(failure(operation, strike.moment())) : answer);
        }
        return all;
    }

    /** Which keys of a call fail, and when. */
    private record Strike(Moment moment, Set<DedupKey> keys) {}

    private Strike strike(Operation operation, List<DedupKey> keys) {
        for (ActiveFault fault : faults) {
            Set<DedupKey> hit = fault.strikes(operation, keys);
            Duration delay = fault.fault().delay();
            if (hit.isEmpty()) {
                continue;
            }
            if (delay == null) {
                struck.incrementAndGet();
                return new Strike(fault.fault().moment(), hit);
            }
            await(operation, delay);
        }
        return new Strike(Moment.BEFORE, Set.of());
    }

    private void await(Operation operation, Duration delay) {
        try {
            boolean unused = healed.await(delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DedupStoreException("Injected fault: interrupted during a delay of " + operation, e);
        }
    }

    private static DedupStoreException failure(Operation operation, Moment moment) {
        return new DedupStoreException(
                moment == Moment.BEFORE
                        ? "Injected fault: " + operation + " failed before it was applied"
                        : "Injected fault: " + operation + " was applied, but its reply was lost",
                null);
    }
}
