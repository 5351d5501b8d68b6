package io.dedup.testkit.broken;

import io.dedup.DedupKey;
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
import io.dedup.store.operator.StuckQuery;
import io.dedup.store.operator.StuckRecordFinder;
import io.dedup.store.operator.StuckRecords;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** A store that does what another does; its lists are its own calls for single requests, so that both break together. */
class ForwardingStore implements DedupStore, StepRecords, StuckRecordFinder, RecordEraser, ImportingStore {
    final DedupStore store;

    ForwardingStore(DedupStore store) {
        this.store = store;
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public Duration attemptRetention() {
        return store.attemptRetention();
    }

    ClaimResult claim(ClaimRequest request) {
        return store.claim(List.of(request)).get(0);
    }

    @Override
    public List<ClaimResult> claim(List<ClaimRequest> requests) {
        return each(requests, this::claim);
    }

    WriteResult complete(CompleteRequest request) {
        return store.complete(List.of(request)).get(0);
    }

    @Override
    public List<WriteResult> complete(List<CompleteRequest> requests) {
        return each(requests, this::complete);
    }

    WriteResult release(ReleaseRequest request) {
        return store.release(List.of(request)).get(0);
    }

    @Override
    public List<WriteResult> release(List<ReleaseRequest> requests) {
        return each(requests, this::release);
    }

    WriteResult renew(RenewRequest request) {
        return store.renew(List.of(request)).get(0);
    }

    @Override
    public List<WriteResult> renew(List<RenewRequest> requests) {
        return each(requests, this::renew);
    }

    WriteResult keepStep(StepRequest request) {
        return StepRecords.of(store).keepSteps(List.of(request)).get(0);
    }

    @Override
    public List<WriteResult> keepSteps(List<StepRequest> requests) {
        return each(requests, this::keepStep);
    }

    @Override
    public Optional<StoredRecord> find(DedupKey key) {
        return store.find(key);
    }

    @Override
    public StuckRecords findStuck(StuckQuery query) {
        return StuckRecordFinder.of(store).findStuck(query);
    }

    @Override
    public List<ImportResult> importDone(List<ImportRequest> requests) {
        return ImportingStore.of(store, store.name()).importDone(requests);
    }

    ImportResult importOne(ImportRequest request) {
        return ImportingStore.of(store, store.name())
                .importDone(List.of(request))
                .get(0);
    }

    @Override
    public void checkErasing() {
        RecordEraser.of(store).checkErasing();
    }

    @Override
    public Erasure erase(String storedId, LiveLease liveLease) {
        return RecordEraser.of(store).erase(storedId, liveLease);
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
    public void ping() {
        store.ping();
    }

    @Override
    public void close() {
        store.close();
    }

    static <T, R> List<R> each(List<T> requests, Function<T, R> operation) {
        List<R> answers = new ArrayList<>(requests.size());
        requests.forEach(request -> answers.add(operation.apply(request)));
        return answers;
    }
}
