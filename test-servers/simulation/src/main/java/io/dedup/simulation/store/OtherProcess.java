package io.dedup.simulation.store;

import io.dedup.DedupCall;
import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.simulation.draw.Draws;
import io.dedup.store.DedupStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Another process, which gets copies of some messages: it claims them, and a while later handles them, fails, or dies. Meanwhile
 * they are in flight elsewhere. Used by the consumer's thread.
 */
public final class OtherProcess implements AutoCloseable {
    private static final Duration LEASE = Duration.ofSeconds(1);

    private final Draws draws;
    private final Consumer<String> steps;
    private final Consumer<String> effects;
    private final Consumer<Duration> passes;
    private final FailingStore store;
    private final Deduplicator dedup;
    private final String topic;
    private final List<Claimed> claimed = new ArrayList<>();
    private boolean dead;

    private static final class Claimed {
        private final String id;
        private final CompletableFuture<@Nullable Void> work;
        private final CompletableFuture<?> outcome;
        private int in;

        Claimed(String id, CompletableFuture<@Nullable Void> work, CompletableFuture<?> outcome, int in) {
            this.id = id;
            this.work = work;
            this.outcome = outcome;
            this.in = in;
        }
    }

    public OtherProcess(
            DedupStore records,
            Consumer<Duration> passes,
            String topic,
            Draws draws,
            Consumer<String> steps,
            Consumer<String> effects) {
        this.draws = draws;
        this.steps = steps;
        this.effects = effects;
        this.passes = passes;
        this.topic = topic;
        Draws noFaults = new Draws(0, List.of());
        this.store = new FailingStore(records, noFaults, new ConcurrentHashMap<>(), steps);
        this.dedup = Deduplicators.builder(store.asStore())
                .consumer("group")
                .shutdownTimeout(Duration.ofMillis(1))
                .topic(topic, policy -> policy.lease(LEASE).maxProcessingTime(Duration.ofMinutes(1)))
                .build();
    }

    /** A message is about to be sent: this process may have claimed a copy of it already. */
    public void sent(String id) {
        if (dead || !draws.happens("another process", "claims " + id)) {
            return;
        }
        CompletableFuture<@Nullable Void> work = new CompletableFuture<>();
        AtomicInteger runs = new AtomicInteger();
        CompletableFuture<DedupOutcome<@Nullable Void>> outcome = dedup.executeAsync(
                        DedupCall.<@Nullable Void>of(dedup.key(topic, id)), context -> {
                            runs.incrementAndGet();
                            return work;
                        })
                .toCompletableFuture();
        if (runs.get() > 0) {
            steps.accept("another process claims " + id);
            claimed.add(new Claimed(id, work, outcome, 1 + draws.below(12, id + " is elsewhere")));
        }
    }

    public void tick(int tick) {
        if (!claimed.isEmpty() && draws.happens("another process", "dies at poll " + tick)) {
            steps.accept("the other process dies");
            dead = true;
            store.kill();
            claimed.clear();
            passes.accept(LEASE.multipliedBy(2));
            return;
        }
        for (Claimed each : List.copyOf(claimed)) {
            if (--each.in <= 0) {
                claimed.remove(each);
                if (draws.below(3, each.id + " fails elsewhere") == 0) {
                    steps.accept("the other process fails to handle " + each.id);
                    each.work.completeExceptionally(new IllegalStateException("cannot handle " + each.id));
                } else {
                    steps.accept("the other process handles " + each.id);
                    effects.accept(each.id);
                    each.work.complete(null);
                }
                each.outcome.exceptionally(failure -> null).join(); // recorded before the next step
            }
        }
    }

    public boolean isQuiet() {
        return claimed.isEmpty();
    }

    @Override
    public void close() {
        dedup.close();
    }
}
