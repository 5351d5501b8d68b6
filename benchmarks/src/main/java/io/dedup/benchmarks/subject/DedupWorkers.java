package io.dedup.benchmarks.subject;

import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.benchmarks.measure.Contender;
import io.dedup.benchmarks.measure.Traffic;
import io.dedup.benchmarks.measure.Worker;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.DedupStore;
import java.util.ArrayList;
import java.util.List;

/** Workers that handle messages as a user does: through a {@link Deduplicator}, with a handler that does nothing. */
public final class DedupWorkers implements AutoCloseable {
    private final StoreRequests requests;
    private final DedupStore store;
    private final Deduplicator deduplicator;
    private final String name;

    public DedupWorkers(StoreRequests requests, DedupStore store, boolean fenced) {
        this(requests, store, fenced ? ContenderNames.DEDUP : ContenderNames.DEDUP_UNFENCED);
    }

    /** @param name what they are called in tables, which decides what they do */
    public DedupWorkers(StoreRequests requests, DedupStore store, String name) {
        this.requests = requests;
        this.store = store;
        this.name = name;
        this.deduplicator = Deduplicators.builder(store)
                .consumer(StoreRequests.CONSUMER)
                .defaults(DedupPolicy.defaults().toBuilder()
                        .lease(StoreRequests.LEASE)
                        .window(StoreRequests.WINDOW)
                        .fencingToken(!name.equals(ContenderNames.DEDUP_UNFENCED))
                        .build())
                .sharedStoreCalls(name.equals(ContenderNames.DEDUP_SHARED))
                .build();
    }

    /** A contender for each of {@link ContenderNames#FORMS}. */
    public List<Contender> contenders() {
        List<Contender> contenders = new ArrayList<>(singles());
        for (int size : ContenderNames.BATCHES) {
            contenders.add(new Contender(ContenderNames.of(name, ContenderNames.batch(size)), 1, () -> batches(size)));
        }
        return contenders;
    }

    /** A contender for each form that isn't a batch. */
    public List<Contender> singles() {
        return List.of(single(1), single(ContenderNames.MANY_THREADS));
    }

    /** Message by message, on as many threads. */
    public Contender single(int threads) {
        return new Contender(ContenderNames.of(name, ContenderNames.single(threads)), threads, this::oneByOne);
    }

    private Worker oneByOne() {
        Traffic traffic = requests.newTraffic(store, Traffic.DUPLICATE_EVERY);
        return () -> {
            Traffic.Block block = traffic.next();
            int handled = 0;
            for (String id : block.ids()) {
                DedupOutcome<Object> outcome =
                        deduplicator.execute(deduplicator.key(StoreRequests.TOPIC, id), context -> true);
                handled += handled(outcome);
            }
            return checked(block, handled);
        };
    }

    private Worker batches(int size) {
        Traffic traffic = requests.newTraffic(store, size);
        return () -> {
            Traffic.Block block = traffic.next();
            int handled = 0;
            for (DedupOutcome<?> outcome : deduplicator.executeAll(
                    block.ids(), id -> deduplicator.key(StoreRequests.TOPIC, id), items -> {})) {
                handled += handled(outcome);
            }
            return checked(block, handled);
        };
    }

    private static int handled(DedupOutcome<?> outcome) {
        return outcome instanceof DedupOutcome.Handled<?> ran && ran.completion() == DedupOutcome.Completion.DONE
                ? 1
                : 0;
    }

    private static int checked(Traffic.Block block, int handled) {
        if (handled != block.fresh().size()) {
            throw new IllegalStateException(
                    "handled " + handled + " of " + block.fresh().size() + " new messages");
        }
        return block.ids().size();
    }

    @Override
    public void close() {
        deduplicator.close();
    }
}
