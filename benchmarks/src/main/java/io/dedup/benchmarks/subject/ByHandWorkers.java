package io.dedup.benchmarks.subject;

import io.dedup.benchmarks.measure.Contender;
import io.dedup.benchmarks.measure.Traffic;
import io.dedup.benchmarks.measure.Worker;
import io.dedup.benchmarks.subject.ByHandStore.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** Workers that handle messages by what an expert writes, with a handler that does nothing. */
public final class ByHandWorkers {
    private final String process = UUID.randomUUID().toString().substring(0, 13);
    private final AtomicLong owners = new AtomicLong();
    private final Traffic.Source traffic = new Traffic.Source();
    private final String name;
    private final ByHandStore store;

    /** @param name the contender's */
    public ByHandWorkers(String name, ByHandStore store) {
        this.name = name;
        this.store = store;
    }

    /** A contender for each of {@link ContenderNames#FORMS}. */
    public List<Contender> contenders() {
        List<Contender> contenders = new ArrayList<>();
        contenders.add(single(1));
        contenders.add(single(ContenderNames.MANY_THREADS));
        for (int size : ContenderNames.BATCHES) {
            contenders.add(new Contender(ContenderNames.of(name, ContenderNames.batch(size)), 1, () -> batches(size)));
        }
        return contenders;
    }

    /** Message by message, on as many threads. */
    public Contender single(int threads) {
        return new Contender(ContenderNames.of(name, ContenderNames.single(threads)), threads, this::oneByOne);
    }

    private String nextOwner() {
        return process + "-" + owners.incrementAndGet();
    }

    private Traffic newTraffic(int blockSize) {
        Traffic next = traffic.next(blockSize);
        String owner = nextOwner();
        requireMine(store.claimAll(next.beforeFirstBlock(), owner), next.beforeFirstBlock());
        store.completeAll(next.beforeFirstBlock(), owner);
        return next;
    }

    private Worker oneByOne() {
        Traffic messages = newTraffic(Traffic.DUPLICATE_EVERY);
        return () -> {
            Traffic.Block block = messages.next();
            int handled = 0;
            for (String id : block.ids()) {
                String owner = nextOwner();
                if (store.claim(id, owner) == State.MINE) {
                    store.complete(id, owner);
                    handled++;
                }
            }
            return checked(block, handled);
        };
    }

    private Worker batches(int size) {
        Traffic messages = newTraffic(size);
        return () -> {
            Traffic.Block block = messages.next();
            String owner = nextOwner();
            Map<String, State> states = store.claimAll(block.ids(), owner);
            List<String> mine = new ArrayList<>(block.fresh().size());
            for (String id : block.ids()) {
                if (states.get(id) == State.MINE) {
                    mine.add(id);
                }
            }
            store.completeAll(mine, owner);
            return checked(block, mine.size());
        };
    }

    private static void requireMine(Map<String, State> states, List<String> ids) {
        for (String id : ids) {
            if (states.get(id) != State.MINE) {
                throw new IllegalStateException("a new message is " + states.get(id));
            }
        }
    }

    private static int checked(Traffic.Block block, int handled) {
        if (handled != block.fresh().size()) {
            throw new IllegalStateException(
                    "handled " + handled + " of " + block.fresh().size() + " new messages");
        }
        return block.ids().size();
    }
}
