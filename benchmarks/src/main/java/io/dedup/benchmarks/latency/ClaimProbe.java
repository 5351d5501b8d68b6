package io.dedup.benchmarks.latency;

import io.dedup.benchmarks.measure.Ids;
import io.dedup.benchmarks.measure.Traffic;
import io.dedup.benchmarks.subject.PrefilledStore;
import io.dedup.benchmarks.subject.StoreRequests;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.Owner;
import io.dedup.store.WriteResult;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Times the claims of a filled store; every fifth is for one of the stored IDs. Not thread-safe. */
final class ClaimProbe {
    static final int BATCH = 500;

    private static final long FIRST_NEW = 1L << 40;

    private final SplittableRandom random = new SplittableRandom(1);
    private final Percentiles singles = new Percentiles();
    private final Percentiles batches = new Percentiles();
    private final PrefilledStore filled;
    private final int size;
    private long next = FIRST_NEW;

    ClaimProbe(PrefilledStore filled, int size) {
        this.filled = filled;
        this.size = size;
    }

    PrefilledStore filled() {
        return filled;
    }

    int size() {
        return size;
    }

    Percentiles singles() {
        return singles;
    }

    Percentiles batches() {
        return batches;
    }

    /** Claims one by one; completes, too, outside the measured time. */
    void single(int count, boolean measured) {
        for (int i = 0; i < count; i++) {
            Owner owner = StoreRequests.newOwner();
            boolean duplicate = i % Traffic.DUPLICATE_EVERY == 0;
            ClaimRequest request = StoreRequests.claim(duplicate ? stored() : fresh(), owner, true);
            long from = System.nanoTime();
            ClaimResult result = filled.store().claim(List.of(request)).get(0);
            long took = System.nanoTime() - from;
            check(duplicate, result);
            if (measured) {
                singles.add(took);
            }
            if (!duplicate) {
                check(filled.store()
                        .complete(List.of(StoreRequests.completion(request.key().messageId(), owner)))
                        .get(0));
            }
        }
    }

    /** The same with lists of several. */
    void batch(int count, boolean measured) {
        for (int i = 0; i < count; i++) {
            Owner owner = StoreRequests.newOwner();
            List<String> duplicates = storedOnce(BATCH / Traffic.DUPLICATE_EVERY);
            List<String> fresh = new ArrayList<>();
            while (fresh.size() < BATCH - duplicates.size()) {
                fresh.add(fresh());
            }
            List<String> ids = new ArrayList<>(duplicates);
            ids.addAll(fresh);
            List<ClaimRequest> requests = StoreRequests.claims(ids, owner, true);
            long from = System.nanoTime();
            List<ClaimResult> results = filled.store().claim(requests);
            long took = System.nanoTime() - from;
            for (int j = 0; j < results.size(); j++) {
                check(j < duplicates.size(), results.get(j));
            }
            if (measured) {
                batches.add(took);
            }
            filled.store().complete(StoreRequests.completions(fresh, owner)).forEach(ClaimProbe::check);
        }
    }

    private String fresh() {
        return Ids.text(next++);
    }

    private String stored() {
        return Ids.text(random.nextInt(size));
    }

    private List<String> storedOnce(int count) {
        return random.ints(0, size).distinct().limit(count).mapToObj(Ids::text).toList();
    }

    private static void check(boolean duplicate, ClaimResult result) {
        if (duplicate ? !(result instanceof ClaimResult.AlreadyDone) : !(result instanceof ClaimResult.Acquired)) {
            throw new IllegalStateException((duplicate ? "a stored" : "a new") + " ID is answered with " + result);
        }
    }

    private static void check(WriteResult result) {
        if (!result.isApplied()) {
            throw new IllegalStateException("a completion is answered with " + result);
        }
    }
}
