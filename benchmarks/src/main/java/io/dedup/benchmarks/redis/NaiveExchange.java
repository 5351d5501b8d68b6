package io.dedup.benchmarks.redis;

import io.dedup.benchmarks.subject.Bench;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** What one writes without a framework: {@code SET NX PX}, and {@code SET PX} when it is done. Thread-safe. */
final class NaiveExchange {
    private static final byte[] CLAIMED = "claimed".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DONE = "done".getBytes(StandardCharsets.US_ASCII);
    private static final long WINDOW_MILLIS = Duration.ofHours(24).toMillis();
    private static final String PREFIX = "naive:" + Bench.SCOPE.text() + ":";

    private final RedisCommands<byte[], byte[]> commands;

    NaiveExchange(StatefulRedisConnection<byte[], byte[]> connection) {
        this.commands = connection.sync();
    }

    void claim(List<String> ids) {
        String ignored = commands.set(key(ids), CLAIMED, SetArgs.Builder.nx().px(Bench.LEASE.toMillis()));
    }

    void complete(List<String> ids) {
        String ignored = commands.set(key(ids), DONE, SetArgs.Builder.px(WINDOW_MILLIS));
    }

    private static byte[] key(List<String> ids) {
        return (PREFIX + ids.get(0)).getBytes(StandardCharsets.US_ASCII);
    }
}
