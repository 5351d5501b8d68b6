package io.dedup.benchmarks.subject;

import io.dedup.benchmarks.measure.Traffic;
import io.dedup.store.ClaimResult;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.store.WriteResult;
import java.util.List;

/**
 * Records what a store sends, and checks that the same requests have the same result without the store.
 */
public final class Capture {
    private final StoreRequests requests;
    private final DedupStore store;
    private final Eavesdropper eavesdropper;

    /** @param store whose requests are recorded */
    public Capture(StoreRequests requests, DedupStore store, Eavesdropper eavesdropper) {
        this.requests = requests;
        this.store = store;
        this.eavesdropper = eavesdropper;
    }

    /** Sees what is sent. */
    @FunctionalInterface
    public interface Eavesdropper {
        /**
         * Does the work, and returns what was sent for it.
         *
         * @param ids the messages that the work is about
         */
        Exchange capture(List<String> ids, Runnable work);
    }

    /** What the single forms send. */
    public Captured single(boolean fenced) {
        Owner owner = StoreRequests.newOwner();
        Traffic.Block block =
                requests.newTraffic(store, Traffic.DUPLICATE_EVERY).next();
        String fresh = block.fresh().get(0);
        String duplicate = block.ids().get(Traffic.DUPLICATE_EVERY - 1);
        Captured captured =
                new Captured(claim(fresh, owner, fenced), claim(duplicate, owner, fenced), complete(fresh, owner));
        Traffic.Block check =
                requests.newTraffic(store, Traffic.DUPLICATE_EVERY).next();
        captured.single(check);
        requests.checkDone(store, check);
        return captured;
    }

    private Exchange claim(String id, Owner owner, boolean fenced) {
        return eavesdropper.capture(List.of(id), () -> {
            List<ClaimResult> ignored = store.claim(List.of(StoreRequests.claim(id, owner, fenced)));
        });
    }

    private Exchange complete(String id, Owner owner) {
        return eavesdropper.capture(List.of(id), () -> {
            List<WriteResult> ignored = store.complete(List.of(StoreRequests.completion(id, owner)));
        });
    }

    /** What the batch forms send. */
    public Captured batch(int size) {
        Owner owner = StoreRequests.newOwner();
        Traffic traffic = requests.newTraffic(store, size);
        Traffic.Block block = traffic.next();
        Exchange claim = eavesdropper.capture(block.ids(), () -> {
            List<ClaimResult> ignored = store.claim(StoreRequests.claims(block.ids(), owner, true));
        });
        Exchange complete = eavesdropper.capture(block.fresh(), () -> {
            List<WriteResult> ignored = store.complete(StoreRequests.completions(block.fresh(), owner));
        });
        Captured captured = new Captured(claim, complete);
        Traffic.Block check = traffic.next();
        captured.batch(check);
        requests.checkDone(store, check);
        return captured;
    }
}
