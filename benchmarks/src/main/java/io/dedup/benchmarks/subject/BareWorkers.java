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
    public List<Contender> singles(String name, Exchange claim, Exchange complete) {
        return List.of(
                single(name, claim, complete),
                new Contender(Names.of(name, Names.SINGLE_MANY), Names.MANY_THREADS, () -> oneByOne(claim, complete)));
    }

    /** A contender that sends a request per message, on one thread. */
    public Contender single(String name, Exchange claim, Exchange complete) {
        return new Contender(Names.of(name, Names.SINGLE), 1, () -> oneByOne(claim, complete));
    }

    /** A contender that sends a request per batch; {@code complete} is made for those that aren't duplicates. */
    public Contender batch(String name, int size, Exchange claim, Exchange complete) {
        return new Contender(Names.of(name, Names.batch(size)), 1, () -> batches(size, claim, complete));
    }

    private Worker oneByOne(Exchange claim, Exchange complete) {
        Traffic traffic = bench.newTraffic(store, Traffic.DUPLICATE_EVERY);
        return () -> {
            Traffic.Block block = traffic.next();
            for (int i = 0; i < block.ids().size(); i++) {
                List<String> one = List.of(block.ids().get(i));
                claim.send(one);
                if (!block.isDuplicate(i)) {
                    complete.send(one);
                }
            }
            return block.ids().size();
        };
    }

    private Worker batches(int size, Exchange claim, Exchange complete) {
        Traffic traffic = bench.newTraffic(store, size);
        return () -> {
            Traffic.Block block = traffic.next();
            claim.send(block.ids());
            complete.send(block.fresh());
            return size;
        };
    }
}
