package io.dedup.simulation.store;

import io.dedup.DedupCall;
import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.simulation.draw.Draws;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.WriteResult;
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
    private final @Nullable SimulatedDatabase database;
    private int claims;
    private final List<Claimed> claimed = new ArrayList<>();
    private boolean dead;

    private static final class Claimed {
        private final String id;
        private final Consumer<Boolean> end;
        private int in;

        /** @param end is called with whether the message is handled */
        Claimed(String id, Consumer<Boolean> end, int in) {
            this.id = id;
            this.end = end;
            this.in = in;
        }
    }

    /** @param database in which effects and records commit together; null if the effects are elsewhere */
    public OtherProcess(
            DedupStore records,
            @Nullable SimulatedDatabase database,
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
        this.database = database;
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
        if (!dead && draws.happens("another process", "claims " + id)) {
            copy(id);
        }
    }

    /** This process gets a copy of a message, and claims it if it can. */
    public void copy(String id) {
        if (dead) {
            return;
        }
        Consumer<Boolean> end = database == null ? claim(id) : claim(id, database);
        if (end != null) {
            steps.accept("another process claims " + id);
            claimed.add(new Claimed(id, end, 1 + draws.below(12, id + " is elsewhere")));
        }
    }

    private @Nullable Consumer<Boolean> claim(String id) {
        CompletableFuture<@Nullable Void> work = new CompletableFuture<>();
        AtomicInteger runs = new AtomicInteger();
        CompletableFuture<DedupOutcome<@Nullable Void>> outcome = dedup.executeAsync(
                        DedupCall.<@Nullable Void>of(dedup.key(topic, id)), context -> {
                            runs.incrementAndGet();
                            return work;
                        })
                .toCompletableFuture();
        return runs.get() == 0
                ? null
                : handles -> {
                    if (handles) {
                        effects.accept(id);
                        work.complete(null);
                    } else {
                        work.completeExceptionally(new IllegalStateException("cannot handle " + id));
                    }
                    outcome.exceptionally(failure -> null).join(); // recorded before the next step
                };
    }

    /** As a process in mode LEASED_TRANSACTIONAL: its commit is refused if another one has its claim. */
    private @Nullable Consumer<Boolean> claim(String id, SimulatedDatabase shared) {
        DedupStore table = shared.claims();
        ClaimRequest request = new ClaimRequest(dedup.key(topic, id), new Owner("other-" + ++claims), LEASE);
        if (!(table.claim(List.of(request)).get(0) instanceof ClaimResult.Acquired acquired)) {
            return null;
        }
        Claim claim = new Claim(request.key(), request.owner(), acquired.attempt());
        return handles -> {
            if (handles && !shared.commitElsewhere(claim, () -> effects.accept(id))) {
                steps.accept("but it has lost its claim of " + id);
            } else if (!handles && !shared.isLocked(claim.key())) {
                List<WriteResult> unused = table.release(List.of(new ReleaseRequest(claim, ReleaseMode.STARTED)));
            }
        };
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
                boolean handles = draws.below(3, each.id + " fails elsewhere") != 0;
                steps.accept("the other process " + (handles ? "handles " : "fails to handle ") + each.id);
                each.end.accept(handles);
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
