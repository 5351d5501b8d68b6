package io.dedup.store.redis;

import io.dedup.DedupScope;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.Owner;
import io.dedup.store.redis.internal.packed.Packing;
import io.dedup.store.redis.internal.record.Scripts;
import io.dedup.store.redis.internal.script.Script;
import io.dedup.store.redis.internal.server.ServerFacts;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntConsumer;

/**
 * Rough rates against a server that runs already: {@code QuickRates redis://127.0.0.1:6379 [seconds per figure]}.
 *
 * <p>Messages a second of claim and complete, every fifth a duplicate; what is compared runs in turns, and the best
 * turn counts. For figures to publish, see the benchmarks module.
 */
final class QuickRates {
    private static final Window WINDOW = Window.of(Duration.ofMinutes(10));
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final int TURNS = 3;

    private final String run = Long.toString(System.nanoTime(), 36);
    private final DedupScope scope = DedupScope.of("rates", "orders");
    private final RedisDedupStore store;
    private final RedisCommands<byte[], byte[]> bare;
    private final String claimSha;
    private final String completeSha;
    private final double seconds;
    private int figure;

    private QuickRates(String uri, double seconds, RedisClient client) {
        this.seconds = seconds;
        this.store = RedisDedupStore.builder().uri(uri).namespace("rates").build();
        StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
        this.bare = connection.sync();
        boolean flags = ServerFacts.parse(bare.info()).version() >= ServerFacts.V7_0;
        Scripts scripts = Scripts.load(flags, Packing.OFF, 0);
        claimSha = bare.scriptLoad(source(scripts.claim()));
        completeSha = bare.scriptLoad(source(scripts.complete()));
    }

    private static byte[] source(Script script) {
        String bulk = new String(script.source(), StandardCharsets.UTF_8);
        return bulk.substring(bulk.indexOf('\n') + 1, bulk.length() - 2).getBytes(StandardCharsets.UTF_8);
    }

    public static void main(String[] args) throws Exception {
        double seconds = args.length > 1 ? Double.parseDouble(args[1]) : 2;
        RedisClient client = RedisClient.create(args[0]);
        QuickRates rates = new QuickRates(args[0], seconds, client);
        try {
            for (int threads : new int[] {1, 8}) {
                rates.compare(threads);
            }
            rates.compareBatches();
        } finally {
            rates.store.close();
            client.shutdown();
        }
    }

    private void compare(int threads) throws InterruptedException {
        String[] names = {"bare SET NX PX, SET", "bare EVALSHA x 2", "store, fenced", "store, unfenced"};
        List<IntConsumer> bodies =
                List.of(this::bareSet, this::bareScripts, i -> single(i, true), i -> single(i, false));
        double[] best = new double[names.length];
        for (int turn = 0; turn < TURNS; turn++) {
            for (int i = 0; i < names.length; i++) {
                best[i] = Math.max(best[i], measure(threads, 1, bodies.get(i)));
            }
        }
        for (int i = 0; i < names.length; i++) {
            System.out.printf("%d thread(s)  %-22s %,9.0f/s%n", threads, names[i], best[i]);
        }
    }

    private void compareBatches() throws InterruptedException {
        for (int size : new int[] {100, 500}) {
            double best = 0;
            for (int turn = 0; turn < TURNS; turn++) {
                best = Math.max(best, measure(1, size, i -> batch(i, size)));
            }
            System.out.printf("1 thread     batches of %-11d %,9.0f/s%n", size, best);
        }
    }

    /** Runs the body from so many threads; each call of it stands for {@code perCall} messages. */
    private double measure(int threads, int perCall, IntConsumer body) throws InterruptedException {
        int mine = figure++;
        long until = System.nanoTime() + (long) (seconds * 1e9);
        long[] done = new long[threads];
        CountDownLatch end = new CountDownLatch(threads);
        long start = System.nanoTime();
        for (int t = 0; t < threads; t++) {
            int thread = t;
            new Thread(() -> {
                        int i = 0;
                        while (System.nanoTime() < until) {
                            body.accept((mine << 22) + i * threads + thread);
                            i++;
                        }
                        done[thread] = i;
                        end.countDown();
                    })
                    .start();
        }
        end.await();
        long sum = 0;
        for (long d : done) {
            sum += d;
        }
        return sum * perCall / ((System.nanoTime() - start) / 1e9);
    }

    private int original(int i) {
        return i % 5 == 4 ? i - 4 : i;
    }

    private byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Owner owner(int i) {
        return new Owner("0123456789abcdef" + Integer.toString(i, 36));
    }

    private void bareSet(int i) {
        byte[] key = bytes("bare:" + run + ":" + original(i));
        if (bare.set(key, bytes("P" + i), SetArgs.Builder.nx().px(60_000)) != null) {
            bare.set(key, bytes("D"), SetArgs.Builder.px(600_000));
        }
    }

    private void bareScripts(int i) {
        byte[][] key = {bytes("rates{}:15:6:rates/orders:b" + run + original(i))};
        byte[] owner = bytes(owner(i).value() + ",");
        List<Object> answer = bare.evalsha(
                claimSha, ScriptOutputType.MULTI, key, bytes("604830000"), bytes("604800000"), bytes("1"), owner);
        if (((byte[]) answer.get(0))[0] == 'N') {
            bare.evalsha(completeSha, ScriptOutputType.VALUE, key, bytes("600000"), bytes("1"), owner);
        }
    }

    private void single(int i, boolean fenced) {
        Owner owner = owner(i);
        var key = scope.key(run + original(i));
        if (Messages.only(store.claim(List.of(new ClaimRequest(key, owner, LEASE, null, fenced))))
                instanceof ClaimResult.Acquired a) {
            require(Messages.only(store.complete(
                            List.of(new CompleteRequest(new Claim(key, owner, a.attempt()), WINDOW, null, false))))
                    .isApplied());
        }
    }

    private void batch(int call, int size) {
        List<ClaimRequest> claims = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            int id = i % 5 == 4 && call > 0 ? i - 4 : i;
            String text = run + (i % 5 == 4 ? call - 1 : call) + "-" + id;
            claims.add(new ClaimRequest(scope.key(text), owner(i), LEASE));
        }
        List<ClaimResult> answers = store.claim(claims);
        List<CompleteRequest> completes = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            if (answers.get(i) instanceof ClaimResult.Acquired acquired) {
                ClaimRequest request = claims.get(i);
                completes.add(new CompleteRequest(
                        new Claim(request.key(), request.owner(), acquired.attempt()), WINDOW, null, false));
            }
        }
        require(store.complete(completes).stream().allMatch(r -> r.isApplied()));
    }

    private static void require(boolean condition) {
        if (!condition) {
            throw new IllegalStateException("the store answered something else");
        }
    }
}
