package io.dedup.benchmarks.redis;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.LiveLease;
import io.dedup.benchmarks.latency.Percentiles;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.subject.StoreRequests;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.Owner;
import io.dedup.testservers.redis.RedisBinary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The packed form of records beside the ordinary one: memory, rates and latency. Each form has a server of its own; they
 * take turns.
 */
public final class PackedForms implements AutoCloseable {
    private static final int BATCH = 500;
    private static final int TURN = 20 * BATCH;
    private static final int FEW = 10_000;
    private static final int CLAIMS = 4_000;
    private static final Window WINDOW = Window.of(Duration.ofDays(7));
    private static final DedupScope SCOPE = DedupScope.of("billing", "orders");

    private final List<Form> forms = new ArrayList<>();
    private final Consumer<String> progress;

    /** A server, and what was measured on it. */
    private static final class Form {
        private final String name;
        private final RedisUnderTest redis;
        private final SplittableRandom random = new SplittableRandom(1);
        private final Percentiles singles = new Percentiles();
        private final Percentiles batches = new Percentiles();
        private long stored;
        private long nanos;
        private long serverNanos;
        private double bytes;

        Form(String name, RedisUnderTest redis) {
            this.name = name;
            this.redis = redis;
        }

        List<String> newIds(int count) {
            return IntStream.range(0, count)
                    .mapToObj(i -> new UUID(random.nextLong(), random.nextLong()).toString())
                    .toList();
        }
    }

    public PackedForms(RedisBinary binary, int ids, Consumer<String> progress) {
        this.progress = progress;
        add("ordinary", RedisUnderTest.start(binary, Network.LOOPBACK));
        add("packed", RedisUnderTest.start(binary, Network.LOOPBACK, builder -> builder.packed(ids)));
        add("packed, few IDs", RedisUnderTest.start(binary, Network.LOOPBACK, builder -> builder.packed(ids)));
    }

    private void add(String name, RedisUnderTest redis) {
        forms.add(new Form(redis.name() + ", " + name, redis));
    }

    /** @return a row for each form: name, IDs, bytes of an ID, both rates, server time of a message, latencies */
    public List<List<String>> measure(int ids) {
        for (Form form : forms) {
            form.bytes = memory(form);
        }
        Form few = forms.get(2);
        for (long stored = 0; stored < ids; stored += TURN) {
            for (Form form : forms) {
                if (form != few || stored < FEW) {
                    turn(form);
                }
            }
            if (stored % Math.max(TURN, ids / 4) < TURN) {
                progress.accept(String.format(Locale.ROOT, "packed: %,d IDs stored", stored));
            }
        }
        for (Form form : forms) {
            form.bytes = (memory(form) - form.bytes) / form.stored;
        }
        for (int i = 0; i < CLAIMS; i++) {
            forms.forEach(PackedForms::single);
            if (i % 20 == 0) {
                forms.forEach(PackedForms::batch);
            }
        }
        return forms.stream().map(PackedForms::row).toList();
    }

    private static void turn(Form form) {
        List<List<String>> work = IntStream.range(0, TURN / BATCH)
                .mapToObj(i -> form.newIds(BATCH))
                .toList();
        long server = form.redis.serverNanos();
        long from = System.nanoTime();
        for (List<String> ids : work) {
            Owner owner = StoreRequests.newOwner();
            check(form.redis.store().claim(claims(ids, owner)));
            complete(form, ids, owner);
        }
        form.nanos += System.nanoTime() - from;
        form.serverNanos += form.redis.serverNanos() - server;
        form.stored += TURN;
    }

    private static void single(Form form) {
        Owner owner = StoreRequests.newOwner();
        List<String> ids = form.newIds(1);
        ClaimRequest request = claims(ids, owner).get(0);
        long from = System.nanoTime();
        ClaimResult result = form.redis.store().claim(List.of(request)).get(0);
        form.singles.add(System.nanoTime() - from);
        check(List.of(result));
        var unused = form.redis.store().forget(request.key(), LiveLease.OVERRIDE);
    }

    private static void batch(Form form) {
        Owner owner = StoreRequests.newOwner();
        List<ClaimRequest> requests = claims(form.newIds(BATCH), owner);
        long from = System.nanoTime();
        List<ClaimResult> results = form.redis.store().claim(requests);
        form.batches.add(System.nanoTime() - from);
        check(results);
    }

    private static void complete(Form form, List<String> ids, Owner owner) {
        List<CompleteRequest> requests = ids.stream()
                .map(id -> new CompleteRequest(new Claim(key(id), owner, 1), WINDOW, null, false))
                .toList();
        if (!form.redis.store().complete(requests).stream().allMatch(answer -> answer.isApplied())) {
            throw new IllegalStateException("a completion of a new message isn't applied");
        }
    }

    private static List<ClaimRequest> claims(List<String> ids, Owner owner) {
        return ids.stream()
                .map(id -> new ClaimRequest(key(id), owner, StoreRequests.LEASE))
                .toList();
    }

    private static void check(List<ClaimResult> results) {
        if (!results.stream().allMatch(result -> result instanceof ClaimResult.Acquired)) {
            throw new IllegalStateException("a new message cannot be claimed");
        }
    }

    private static DedupKey key(String id) {
        return SCOPE.key(id);
    }

    private static double memory(Form form) {
        return form.redis
                .connection()
                .sync()
                .info("memory")
                .lines()
                .filter(line -> line.startsWith("used_memory:"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(':') + 1)))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> row(Form form) {
        return List.of(
                form.name,
                String.format(Locale.ROOT, "%,d", form.stored),
                String.format(Locale.ROOT, "%.1f", form.bytes),
                String.format(Locale.ROOT, "%,.0f", form.stored * 1e9 / form.nanos),
                String.format(Locale.ROOT, "%.2f", form.serverNanos / 1e3 / form.stored),
                form.singles.micros(),
                form.batches.micros());
    }

    @Override
    public void close() {
        forms.forEach(form -> form.redis.close());
    }
}
