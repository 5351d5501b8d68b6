package io.dedup.benchmarks.redis;

import io.dedup.benchmarks.kafka.PollMemory;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Two scripts per poll, over all of its keys: a script takes less time for each key than Lettuce for a command in a
 * pipeline.
 */
public final class RedisPollMemory implements PollMemory {
    private static final String LEASE_MILLIS = "60000";
    private static final String WINDOW_MILLIS = "86400000";
    private static final String CLAIM = """
            local won = {}
            for i = 1, #KEYS do
              won[i] = redis.call('SET', KEYS[i], ARGV[1], 'NX', 'PX', ARGV[2]) and '1' or '0'
            end
            return table.concat(won)""";
    private static final String DONE = """
            for i = 1, #KEYS do
              if redis.call('GET', KEYS[i]) == ARGV[1] then
                redis.call('SET', KEYS[i], 'D', 'PX', ARGV[2])
              end
            end""";

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final String claim;
    private final String done;
    private final String owner = UUID.randomUUID().toString();
    private final String prefix;

    public RedisPollMemory(int port, String run) {
        this.client = RedisClient.create(RedisURI.create("127.0.0.1", port));
        this.connection = client.connect();
        this.claim = connection.sync().scriptLoad(CLAIM);
        this.done = connection.sync().scriptLoad(DONE);
        this.prefix = run + ":";
    }

    @Override
    public Set<String> claim(Collection<String> ids) {
        Set<String> different = new LinkedHashSet<>(ids);
        String answers = connection.sync().evalsha(claim, ScriptOutputType.VALUE, keys(different), owner, LEASE_MILLIS);
        Set<String> won = new HashSet<>();
        int i = 0;
        for (String id : different) {
            if (answers.charAt(i++) == '1') {
                won.add(id);
            }
        }
        return won;
    }

    @Override
    public void complete(List<String> ids) {
        if (!ids.isEmpty()) {
            connection.sync().evalsha(done, ScriptOutputType.STATUS, keys(ids), owner, WINDOW_MILLIS);
        }
    }

    private String[] keys(Collection<String> ids) {
        return ids.stream().map(id -> prefix + id).toArray(String[]::new);
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
}
