package io.dedup.support;

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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/** A store that fails as it is told, and remembers what it was asked. */
public final class FaultyStore
        implements DedupStore, StepRecords, StuckRecordFinder, ResettableStore, ImportingStore, RecordEraser {
    /** What a store is asked for. */
    public enum Op {
        CLAIM,
        COMPLETE,
        RELEASE,
        RENEW,
        STEP,
        IMPORT
    }

    /** One call. */
    public record Call(Op op, List<?> requests, long at) {
        public List<DedupKey> keys() {
            return requests.stream().map(FaultyStore::keyOf).toList();
        }
    }

    /** What happens to a call instead of the real thing. */
    @FunctionalInterface
    public interface Fault {
        List<?> answer(Call call, Function<List<?>, List<?>> real);
    }

    private final DedupStore store;
    private volatile boolean pingFails;
    private volatile boolean erases = true;
    private volatile int maxResultBytes = Integer.MAX_VALUE;
    private final Map<Op, Fault> faults = new ConcurrentHashMap<>();
    private final Queue<Call> calls = new ConcurrentLinkedQueue<>();

    public FaultyStore(DedupStore store) {
        this.store = store;
    }

    public void erases(boolean does) {
        erases = does;
    }

    public void pingFails(boolean fails) {
        pingFails = fails;
    }

    public void maxResultBytes(int bytes) {
        maxResultBytes = bytes;
    }

    public FaultyStore on(Op op, Fault fault) {
        faults.put(op, fault);
        return this;
    }

    public void down() {
        for (Op op : Op.values()) {
            on(op, Faults.down());
        }
    }

    public void heal() {
        faults.clear();
    }

    public List<Call> calls(Op op) {
        return calls.stream().filter(call -> call.op() == op).toList();
    }

    public List<Call> calls() {
        return List.copyOf(calls);
    }

    /** The intact store behind. */
    public DedupStore intact() {
        return store;
    }

    private static DedupKey keyOf(Object request) {
        if (request instanceof ClaimRequest claim) {
            return claim.key();
        }
        if (request instanceof CompleteRequest complete) {
            return complete.claim().key();
        }
        if (request instanceof ReleaseRequest release) {
            return release.claim().key();
        }
        if (request instanceof ImportRequest imported) {
            return imported.key();
        }
        if (request instanceof StepRequest step) {
            return step.claim().key();
        }
        return ((RenewRequest) request).claim().key();
    }

    private <A> List<A> all(Op op, List<?> requests, Function<List<?>, List<?>> real) {
        Call call = new Call(op, requests, System.nanoTime());
        calls.add(call);
        if (Set.copyOf(call.keys()).size() < requests.size()) { // every store may rely on it
            throw new IllegalArgumentException("a batch that holds a key twice: " + call.keys());
        }
        Fault fault = faults.get(op);
        return unchecked(fault == null ? real.apply(requests) : fault.answer(call, real));
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // each operation has its own types
    private static <T> T unchecked(Object value) {
        return (T) value;
    }

    @Override
    public List<ClaimResult> claim(List<ClaimRequest> requests) {
        return all(Op.CLAIM, requests, all -> store.claim(unchecked(all)));
    }

    @Override
    public List<WriteResult> complete(List<CompleteRequest> requests) {
        return all(Op.COMPLETE, requests, all -> store.complete(unchecked(all)));
    }

    @Override
    public List<WriteResult> release(List<ReleaseRequest> requests) {
        return all(Op.RELEASE, requests, all -> store.release(unchecked(all)));
    }

    @Override
    public List<WriteResult> renew(List<RenewRequest> requests) {
        return all(Op.RENEW, requests, all -> store.renew(unchecked(all)));
    }

    @Override
    public List<WriteResult> keepSteps(List<StepRequest> requests) {
        return all(Op.STEP, requests, all -> ((StepRecords) store).keepSteps(unchecked(all)));
    }

    @Override
    public String name() {
        return "faulty";
    }

    @Override
    public Duration attemptRetention() {
        return store.attemptRetention();
    }

    @Override
    public Optional<StoredRecord> find(DedupKey key) {
        return store.find(key);
    }

    @Override
    public StuckRecords findStuck(StuckQuery query) {
        return ((StuckRecordFinder) store).findStuck(query);
    }

    @Override
    public OperatorResult forget(DedupKey key, LiveLease liveLease) {
        return store.forget(key, liveLease);
    }

    @Override
    public OperatorResult forceDone(DedupKey key, Window window, LiveLease liveLease) {
        return store.forceDone(key, window, liveLease);
    }

    @Override
    public void checkErasing() {
        if (!erases) {
            throw new UnsupportedOperationException("no IDs are kept");
        }
    }

    @Override
    public Erasure erase(String storedId, LiveLease liveLease) {
        return ((RecordEraser) store).erase(storedId, liveLease);
    }

    @Override
    public long forgetAll() {
        return ((ResettableStore) store).forgetAll();
    }

    @Override
    public List<ImportResult> importDone(List<ImportRequest> requests) {
        return all(Op.IMPORT, requests, all -> ((ImportingStore) store).importDone(unchecked(all)));
    }

    @Override
    public int maxResultBytes() {
        return maxResultBytes;
    }

    @Override
    public void ping() {
        if (pingFails) {
            throw new DedupStoreException("store is down", null);
        }
        store.ping();
    }

    @Override
    public void close() {
        store.close();
    }
}
