package io.dedup.benchmarks.redis;

import io.dedup.benchmarks.subject.StoreRequests;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** What one writes without a framework: {@code SET NX PX}, and {@code SET PX} when it is done. The single form is thread-safe. */
final class NaiveExchange {
    private static final byte[] CLAIMED = "claimed".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DONE = "done".getBytes(StandardCharsets.US_ASCII);
    private static final long WINDOW_MILLIS = Duration.ofHours(24).toMillis();
    private static final String PREFIX = "naive:" + StoreRequests.SCOPE.text() + ":";

    private final RedisCommands<byte[], byte[]> commands;
    private final StatefulRedisConnection<byte[], byte[]> batches;
    private final RedisAsyncCommands<byte[], byte[]> pipeline;

    /** @param batches a connection that nothing else uses */
    NaiveExchange(StatefulRedisConnection<byte[], byte[]> connection, StatefulRedisConnection<byte[], byte[]> batches) {
        this.commands = connection.sync();
        this.batches = batches;
        this.pipeline = batches.async();
        batches.setAutoFlushCommands(false);
    }

    /** The same commands for many messages, all sent before the first answer is awaited. */
    void claimAll(List<String> ids) {
        SetArgs claim = SetArgs.Builder.nx().px(StoreRequests.LEASE.toMillis());
        pipelined(ids, key -> pipeline.set(key, CLAIMED, claim));
    }

    /** As {@link #claimAll}. */
    void completeAll(List<String> ids) {
        SetArgs complete = SetArgs.Builder.px(WINDOW_MILLIS);
        pipelined(ids, key -> pipeline.set(key, DONE, complete));
    }

    private void pipelined(List<String> ids, Function<byte[], RedisFuture<String>> command) {
        List<RedisFuture<String>> sent = new ArrayList<>(ids.size());
        for (String id : ids) {
            sent.add(command.apply(key(List.of(id))));
        }
        batches.flushCommands();
        sent.forEach(answer -> {
            String ignored = answer.toCompletableFuture().join();
        });
    }

    void claim(List<String> ids) {
        String ignored = commands.set(key(ids), CLAIMED, SetArgs.Builder.nx().px(StoreRequests.LEASE.toMillis()));
    }

    void complete(List<String> ids) {
        String ignored = commands.set(key(ids), DONE, SetArgs.Builder.px(WINDOW_MILLIS));
    }

    private static byte[] key(List<String> ids) {
        return (PREFIX + ids.get(0)).getBytes(StandardCharsets.US_ASCII);
    }
}
