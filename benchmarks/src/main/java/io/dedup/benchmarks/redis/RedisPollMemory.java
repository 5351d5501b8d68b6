package io.dedup.benchmarks.redis;

import io.dedup.benchmarks.kafka.PollMemory;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** By {@code SET ... NX PX} and {@code SET ... PX}, pipelined: no script. */
public final class RedisPollMemory implements PollMemory {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final SetArgs CLAIM = SetArgs.Builder.nx().px(Duration.ofSeconds(60));
    private static final SetArgs DONE = SetArgs.Builder.px(Duration.ofHours(24));

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final RedisAsyncCommands<String, String> commands;
    private final String prefix;

    public RedisPollMemory(int port, String run) {
        this.client = RedisClient.create(RedisURI.create("127.0.0.1", port));
        this.connection = client.connect();
        this.connection.setAutoFlushCommands(false);
        this.commands = connection.async();
        this.prefix = run + ":";
    }

    @Override
    public Set<String> claim(Collection<String> ids) {
        Map<String, RedisFuture<String>> answers = new LinkedHashMap<>();
        for (String id : ids) {
            answers.computeIfAbsent(
                    id, any -> commands.set(prefix + any, UUID.randomUUID().toString(), CLAIM));
        }
        flush(answers.values());
        Set<String> won = new HashSet<>();
        answers.forEach((id, answer) -> {
            if (answer.toCompletableFuture().join() != null) {
                won.add(id);
            }
        });
        return won;
    }

    @Override
    public void complete(List<String> ids) {
        flush(ids.stream().map(id -> commands.set(prefix + id, "done", DONE)).toList());
    }

    private void flush(Collection<RedisFuture<String>> answers) {
        connection.flushCommands();
        if (!LettuceFutures.awaitAll(
                PATIENCE.toMillis(), TimeUnit.MILLISECONDS, answers.toArray(RedisFuture<?>[]::new))) {
            throw new IllegalStateException("Redis doesn't answer");
        }
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
}
