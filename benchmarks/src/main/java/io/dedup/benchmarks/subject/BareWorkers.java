package io.dedup.benchmarks.subject;

import io.dedup.benchmarks.measure.Contender;
import io.dedup.benchmarks.measure.Traffic;
import io.dedup.benchmarks.measure.Worker;
import io.dedup.store.DedupStore;
import java.util.List;

/** Workers that handle messages by a bare driver. They know beforehand which messages are duplicates. */
public final class BareWorkers {
    private final StoreRequests requests;
    private final DedupStore store;

    /** @param store holds the messages whose duplicates are sent */
    public BareWorkers(StoreRequests requests, DedupStore store) {
        this.requests = requests;
        this.store = store;
    }

    /** Contenders that send a request per message, on one thread and on many. */
    public List<Contender> singles(String name, Captured captured) {
        return List.of(
                single(name, captured),
                new Contender(
                        ContenderNames.of(name, ContenderNames.SINGLE_MANY),
                        ContenderNames.MANY_THREADS,
                        () -> oneByOne(captured)));
    }

    /** A contender that sends a request per message, on one thread. */
    public Contender single(String name, Captured captured) {
        return new Contender(ContenderNames.of(name, ContenderNames.SINGLE), 1, () -> oneByOne(captured));
    }

    /** A contender that sends a request per batch. */
    public Contender batch(String name, int size, Captured captured) {
        return new Contender(ContenderNames.of(name, ContenderNames.batch(size)), 1, () -> batches(size, captured));
    }

    private Worker oneByOne(Captured captured) {
        Traffic traffic = requests.newTraffic(store, Traffic.DUPLICATE_EVERY);
        return () -> {
            Traffic.Block block = traffic.next();
            captured.single(block);
            return block.ids().size();
        };
    }

    private Worker batches(int size, Captured captured) {
        Traffic traffic = requests.newTraffic(store, size);
        return () -> {
            captured.batch(traffic.next());
            return size;
        };
    }
}
