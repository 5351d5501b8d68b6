package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.DedupAdapter;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.support.FaultyStore;
import io.dedup.support.FaultyStore.Fault;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Several consumers get every message several times, in batches, singly and asynchronously, in different orders. Their
 * handlers fail now and then before their effect, and the store fails now and then before or after it has applied what
 * it was asked for. What isn't acked comes again. In the end each effect has happened once: no lease runs out here, so
 * nothing may happen twice.
 */
class StressTest {
    private static final int CONSUMERS = 3;
    private static final int THREADS = 8;
    private static final int KEYS = 400;
    private static final int COPIES = 4;

    private final FaultyStore store = new FaultyStore(new InMemoryDedupStore());
    private final List<Deduplicator> consumers = new ArrayList<>();
    private final Map<String, AtomicInteger> effects = new ConcurrentHashMap<>();
    private final Queue<String> problems = new ConcurrentLinkedQueue<>();
    private final ExecutorService pool = Executors.newFixedThreadPool(THREADS);

    @AfterEach
    void close() {
        store.heal();
        pool.shutdownNow();
        consumers.forEach(Deduplicator::close);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4})
    void eachEffectHappensOnce(long seed) throws Exception {
        Random random = new Random(seed);
        for (Op op : Op.values()) {
            store.on(op, flaky(random.nextLong()));
        }
        for (int i = 0; i < CONSUMERS; i++) {
            consumers.add(Deduplicators.builder(store)
                    .consumer("billing")
                    .defaults(DedupPolicy.builder()
                            .inFlightWait(Duration.ofMillis(i * 20L))
                            .lease(Duration.ofMinutes(5))
                            .maxDeaths(i)
                            .build())
                    .shutdownTimeout(Duration.ZERO)
                    .build());
        }
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            List<String> share = shareOf(i, random);
            long threadSeed = random.nextLong();
            running.add(pool.submit(() -> consume(share, new Random(threadSeed))));
        }
        for (Future<?> each : running) {
            each.get(60, TimeUnit.SECONDS);
        }

        assertThat(problems).isEmpty();
        assertThat(effects).hasSize(KEYS);
        assertThat(effects.entrySet())
                .allSatisfy(each -> assertThat(each.getValue()).hasValue(1));
        store.heal();
        for (Deduplicator consumer : consumers) {
            await().until(() -> DedupAdapter.of(consumer).pendingCompletions() == 0);
            assertThat(DedupAdapter.of(consumer).inFlight()).isZero();
        }
        for (int i = 0; i < KEYS; i++) {
            assertThat(store.find(key("m" + i)).orElseThrow().state()).isEqualTo(State.DONE);
        }
    }

    private static List<String> shareOf(int thread, Random random) {
        List<String> ids = new ArrayList<>();
        for (int copy = 0; copy < COPIES; copy++) {
            for (int i = thread % 2; i < KEYS; i += 2) {
                ids.add("m" + i);
            }
        }
        Collections.shuffle(ids, random);
        return ids;
    }

    /** Delivers everything until it is acked. */
    private void consume(List<String> share, Random random) {
        List<String> left = new ArrayList<>(share);
        while (!left.isEmpty() && !Thread.currentThread().isInterrupted()) {
            Deduplicator consumer = consumers.get(random.nextInt(CONSUMERS));
            int size = Math.min(left.size(), 1 + random.nextInt(20));
            List<String> batch = new ArrayList<>(left.subList(0, size));
            left.subList(0, size).clear();
            switch (random.nextInt(3)) {
                case 0 -> batch.forEach(id -> single(consumer, id, left, random.nextInt(4) == 0));
                case 1 -> batch.forEach(id -> async(consumer, id, left, random.nextInt(4) == 0));
                default -> all(consumer, batch, left, random.nextInt(4) == 0);
            }
        }
    }

    private void single(Deduplicator consumer, String id, List<String> left, boolean fails) {
        try {
            acked(consumer.execute(key(id), context -> effect(context, fails)), id, left);
        } catch (NoEffect e) {
            left.add(id);
        }
    }

    private void async(Deduplicator consumer, String id, List<String> left, boolean fails) {
        try {
            acked(
                    consumer.executeAsync(
                                    DedupCall.<String>of(key(id)),
                                    context -> CompletableFuture.supplyAsync(() -> effect(context, fails)))
                            .toCompletableFuture()
                            .get(60, TimeUnit.SECONDS),
                    id,
                    left);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof NoEffect)) {
                problems.add(id + " " + e);
            }
            left.add(id);
        } catch (Exception e) {
            problems.add(id + " " + e);
        }
    }

    private void all(Deduplicator consumer, List<String> batch, List<String> left, boolean fails) {
        try {
            List<? extends DedupOutcome<?>> outcomes = consumer.executeAll(batch, StressTest::key, items -> {
                if (fails) {
                    throw new NoEffect();
                }
                items.forEach(item -> effect(item.context(), false));
            });
            for (int i = 0; i < batch.size(); i++) {
                acked(outcomes.get(i), batch.get(i), left);
            }
        } catch (NoEffect e) {
            left.addAll(batch);
        }
    }

    private void acked(DedupOutcome<?> outcome, String id, List<String> left) {
        if (!outcome.mayAck()) {
            if (!(outcome instanceof Deferred)) {
                problems.add(id + " " + outcome);
            }
            left.add(id);
        } else if (!effects.containsKey(id)) {
            problems.add(id + " was acked before its effect: " + outcome);
        } else if (outcome instanceof Handled<?> handled
                && handled.completion() == DedupOutcome.Completion.LEASE_LOST) {
            problems.add(id + " lost its lease");
        }
    }

    private String effect(DedupContext context, boolean fails) {
        if (fails) {
            throw new NoEffect();
        }
        String id = context.key().messageId();
        effects.computeIfAbsent(id, unused -> new AtomicInteger()).incrementAndGet();
        return id;
    }

    private static DedupKey key(String id) {
        return DedupScope.of("billing", "orders").key(id);
    }

    /** One call in ten fails before it is applied, one in ten afterwards. */
    private static Fault flaky(long seed) {
        Random random = new Random(seed);
        return (call, real) -> {
            int dice = random.nextInt(10);
            if (dice == 0) {
                throw new DedupStoreException("not applied", null);
            }
            List<?> answer = real.apply(call.requests());
            if (dice == 1) {
                throw new DedupStoreException("applied, but the answer is lost", null);
            }
            return answer;
        };
    }

    private static final class NoEffect extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
