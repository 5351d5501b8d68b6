package io.dedup.benchmarks.subject;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.benchmarks.measure.Traffic;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * What all measurements have in common: one topic of one consumer, the leases and the windows. Thread-safe.
 *
 * <p>With the namespace {@code dedup}, a key in Redis has 40 characters.
 */
public final class StoreRequests {
    public static final String CONSUMER = "bench";
    public static final String TOPIC = "orders";
    public static final DedupScope SCOPE = DedupScope.of(CONSUMER, TOPIC);
    public static final Duration LEASE = Duration.ofSeconds(30);
    public static final Window WINDOW = Window.of(Duration.ofHours(24));

    private final Traffic.Source traffic = new Traffic.Source();

    /** Messages that no other subject has, the first of which are done already. */
    public Traffic newTraffic(DedupStore store, int blockSize) {
        Traffic next = traffic.next(blockSize);
        process(store, next.beforeFirstBlock());
        return next;
    }

    /** Claims and completes new messages by one call each. */
    public static void process(DedupStore store, List<String> ids) {
        process(store, ids, WINDOW);
    }

    /** With a window of its own. */
    public static void process(DedupStore store, List<String> ids, Window window) {
        Owner owner = newOwner();
        for (ClaimResult result : store.claim(claims(ids, owner, true))) {
            if (!(result instanceof ClaimResult.Acquired)) {
                throw new IllegalStateException("the store says of a new message " + result);
            }
        }
        for (WriteResult result : store.complete(completions(ids, owner, window))) {
            if (!result.isApplied()) {
                throw new IllegalStateException("the store says of a message that was claimed " + result);
            }
        }
    }

    /** As long as the engine's. */
    public static Owner newOwner() {
        return new Owner(UUID.randomUUID().toString().replace("-", "").substring(0, 20));
    }

    public static List<ClaimRequest> claims(List<String> ids, Owner owner, boolean fenced) {
        List<ClaimRequest> requests = new ArrayList<>(ids.size());
        for (String id : ids) {
            requests.add(claim(id, owner, fenced));
        }
        return requests;
    }

    public static ClaimRequest claim(String id, Owner owner, boolean fenced) {
        return new ClaimRequest(key(id), owner, LEASE, null, fenced);
    }

    public static List<CompleteRequest> completions(List<String> ids, Owner owner) {
        return completions(ids, owner, WINDOW);
    }

    private static List<CompleteRequest> completions(List<String> ids, Owner owner, Window window) {
        List<CompleteRequest> requests = new ArrayList<>(ids.size());
        for (String id : ids) {
            requests.add(completion(id, owner, window));
        }
        return requests;
    }

    public static CompleteRequest completion(String id, Owner owner) {
        return completion(id, owner, WINDOW);
    }

    /** With a window of its own. */
    public static CompleteRequest completion(String id, Owner owner, Window window) {
        return new CompleteRequest(new Claim(key(id), owner, 1), window, null, false);
    }

    public static DedupKey key(String id) {
        return DedupKey.of(SCOPE, id);
    }

    /**
     * Makes sure that a bare driver did what the store does.
     *
     * @throws IllegalStateException when not all messages are done
     */
    void checkDone(DedupStore store, Traffic.Block block) {
        for (String id : block.ids()) {
            if (store.find(key(id)).map(StoredRecord::state).orElse(null) != StoredRecord.State.DONE) {
                throw new IllegalStateException("the bare driver doesn't do what the store does");
            }
        }
    }
}
