package io.dedup.benchmarks.subject;

import io.dedup.benchmarks.measure.Contender;
import io.dedup.benchmarks.measure.Traffic;
import io.dedup.benchmarks.measure.Worker;
import io.dedup.store.DedupStore;
import java.util.List;

/** Workers that handle messages by a bare driver. They know beforehand which messages are duplicates. */
public final class BareWorkers {
    private final Bench bench;
    private final DedupStore store;

    /** @param store where the messages are that duplicates are duplicates of */
    public BareWorkers(Bench bench, DedupStore store) {
        this.bench = bench;
        this.store = store;
    }

    /** Contenders that send a request per message, on one thread and on many. */
    public List<Contender> singles(String name, Captured captured) {
        return List.of(
                single(name, captured),
                new Contender(Names.of(name, Names.SINGLE_MANY), Names.MANY_THREADS, () -> oneByOne(captured)));
    }

    /** A contender that sends a request per message, on one thread. */
    public Contender single(String name, Captured captured) {
        return new Contender(Names.of(name, Names.SINGLE), 1, () -> oneByOne(captured));
    }

    /** A contender that sends a request per batch. */
    public Contender batch(String name, int size, Captured captured) {
        return new Contender(Names.of(name, Names.batch(size)), 1, () -> batches(size, captured));
    }

    private Worker oneByOne(Captured captured) {
        Traffic traffic = bench.newTraffic(store, Traffic.DUPLICATE_EVERY);
        return () -> {
            Traffic.Block block = traffic.next();
            captured.single(block);
            return block.ids().size();
        };
    }

    private Worker batches(int size, Captured captured) {
        Traffic traffic = bench.newTraffic(store, size);
        return () -> {
            captured.batch(traffic.next());
            return size;
        };
    }
}
