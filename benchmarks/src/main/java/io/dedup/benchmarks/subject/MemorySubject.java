package io.dedup.benchmarks.subject;

import io.dedup.benchmarks.measure.Contender;
import io.dedup.store.ClaimResult;
import io.dedup.store.Owner;
import io.dedup.store.WriteResult;
import io.dedup.store.memory.InMemoryDedupStore;
import java.util.ArrayList;
import java.util.List;

/** The in-memory store: behind the engine, and called directly, so that the difference is the engine. */
public final class MemorySubject implements Subject {
    private final InMemoryDedupStore store = new InMemoryDedupStore();
    private final StoreRequests requests = new StoreRequests();
    private final DedupWorkers dedup = new DedupWorkers(requests, store, true);

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public List<Contender> contenders() {
        BareWorkers bare = new BareWorkers(requests, store);
        Owner owner = StoreRequests.newOwner();
        Captured calls = new Captured(ids -> claim(ids, owner), ids -> complete(ids, owner));
        List<Contender> contenders = new ArrayList<>(dedup.contenders());
        contenders.addAll(bare.singles(ContenderNames.BARE, calls));
        for (int size : ContenderNames.BATCHES) {
            contenders.add(bare.batch(ContenderNames.BARE, size, calls));
        }
        return contenders;
    }

    private void claim(List<String> ids, Owner owner) {
        List<ClaimResult> ignored = store.claim(
                ids.size() == 1
                        ? List.of(StoreRequests.claim(ids.get(0), owner, true))
                        : StoreRequests.claims(ids, owner, true));
    }

    private void complete(List<String> ids, Owner owner) {
        List<WriteResult> ignored = store.complete(
                ids.size() == 1
                        ? List.of(StoreRequests.completion(ids.get(0), owner))
                        : StoreRequests.completions(ids, owner));
    }

    /** Forgets all records, which would otherwise fill this process. */
    @Override
    public void reset() {
        store.close();
    }

    @Override
    public void close() {
        dedup.close();
        store.close();
    }
}
