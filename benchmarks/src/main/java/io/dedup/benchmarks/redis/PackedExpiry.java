package io.dedup.benchmarks.redis;

import io.dedup.benchmarks.latency.Percentiles;
import io.dedup.benchmarks.latency.SteadyLatency;
import io.dedup.benchmarks.latency.SteadyLoad;
import io.dedup.benchmarks.measure.Ids;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.subject.MessageHandling;
import io.dedup.benchmarks.subject.StoreRequests;
import io.dedup.policy.Window;
import io.dedup.store.ClaimResult;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.store.redis.RedisDedupStoreBuilder;
import io.dedup.testservers.redis.RedisBinary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * What the end of many windows at a time costs the messages beside it: a server is filled within seconds with records of a short
 * window, and messages with the same window come at a steady rate before the first record ends, and from then on until
 * the server has dropped them all.
 */
public final class PackedExpiry {
    private static final int BATCH = 500;
    private static final Duration WINDOW = Duration.ofSeconds(60);

    /** How long before the first end the undisturbed load begins; the server is filled until then at the latest. */
    private static final Duration BEFORE = Duration.ofSeconds(20);

    /** A packed record is kept for a quarter of its window at most. */
    private static final Duration AFTER = WINDOW.dividedBy(4);

    private final RedisBinary binary;
    private final int ids;
    private final int perSecond;
    private final Consumer<String> progress;

    public PackedExpiry(RedisBinary binary, int ids, int perSecond, Consumer<String> progress) {
        this.binary = binary;
        this.ids = ids;
        this.perSecond = perSecond;
        this.progress = progress;
    }

    /** @return a row for each form: name, records, latencies before and during, and the 99th percentile of the second by the first */
    public List<List<String>> measure() throws InterruptedException {
        return List.of(
                measure("ordinary", UnaryOperator.identity()), measure("packed", builder -> builder.packed(ids)));
    }

    private List<String> measure(String form, UnaryOperator<RedisDedupStoreBuilder> settings)
            throws InterruptedException {
        try (RedisUnderTest redis = RedisUnderTest.start(binary, Network.LOOPBACK, settings)) {
            SteadyLoad load = new SteadyLoad(new ShortWindow(redis.store()), perSecond);
            SteadyLatency.runUntil(System.nanoTime() + BEFORE.toNanos(), load, new Percentiles()); // warms up
            long from = System.nanoTime();
            int stored = fill(redis.store(), from + WINDOW.minus(BEFORE).toNanos());
            long filled = System.nanoTime();
            SteadyLatency.runUntil(from + WINDOW.minus(BEFORE).toNanos(), load, new Percentiles());
            Percentiles before = new Percentiles();
            SteadyLatency.runUntil(from + WINDOW.toNanos(), load, before);
            Percentiles during = new Percentiles();
            SteadyLatency.runUntil(filled + WINDOW.plus(AFTER).toNanos(), load, during);
            progress.accept(redis.name() + ", " + form + ": windows of " + stored + " records have ended");
            return List.of(
                    redis.name() + ", " + form,
                    String.format(Locale.ROOT, "%,d", stored),
                    before.micros(),
                    during.micros(),
                    String.format(Locale.ROOT, "%.2f", during.at(99) / before.at(99)));
        }
    }

    /** @return how many there was time for */
    private int fill(DedupStore store, long end) {
        int stored = 0;
        while (stored < ids && System.nanoTime() - end < 0) {
            List<String> batch = new ArrayList<>(
                    IntStream.range(stored, stored + BATCH).mapToObj(Ids::text).toList());
            StoreRequests.process(store, batch, Window.of(WINDOW));
            stored += BATCH;
        }
        return stored;
    }

    /** Handles new messages whose records end as soon as the others. */
    private record ShortWindow(DedupStore store) implements MessageHandling {
        @Override
        public boolean handle(String id) {
            Owner owner = StoreRequests.newOwner();
            return store.claim(List.of(StoreRequests.claim(id, owner, true))).get(0) instanceof ClaimResult.Acquired
                    && store.complete(List.of(StoreRequests.completion(id, owner, Window.of(WINDOW))))
                            .get(0)
                            .isApplied();
        }
    }
}
