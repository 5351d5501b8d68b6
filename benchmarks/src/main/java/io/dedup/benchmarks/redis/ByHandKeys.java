package io.dedup.benchmarks.redis;

import io.dedup.benchmarks.subject.ByHandStore;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A key for each message, and two scripts over one key or many: {@code SET NX PX}, whose end is the end of the lease, and a
 * check of the owner before {@code SET PX}. A script takes less time for each key than Lettuce for a command in a pipeline.
 */
public final class ByHandKeys implements ByHandStore {
    private static final String LEASE_MILLIS = "30000";
    private static final String WINDOW_MILLIS = "86400000";
    private static final String CLAIM = """
            local states = {}
            for i = 1, #KEYS do
              if redis.call('SET', KEYS[i], ARGV[1], 'NX', 'PX', ARGV[2]) then
                states[i] = 'M'
              else
                states[i] = redis.call('GET', KEYS[i]) == 'D' and 'D' or 'F'
              end
            end
            return table.concat(states)""";
    private static final String DONE = """
            local done = 0
            for i = 1, #KEYS do
              if redis.call('GET', KEYS[i]) == ARGV[1] then
                redis.call('SET', KEYS[i], 'D', 'PX', ARGV[2])
                done = done + 1
              end
            end
            return done""";

    /**
     * The same with what dedup promises: a fencing token, and a count of attempts that outlives the lease, for which the key stays
     * for a retention longer than the lease.
     */
    private static final String FENCED_CLAIM = """
            local time = redis.call('TIME')
            local now, retention = time[1] * 1000000 + time[2], tonumber(ARGV[3])
            local first = string.format('%s,1,%.0f', ARGV[1], now)
            local states = {}
            for i = 1, #KEYS do
              if redis.call('SET', KEYS[i], first, 'NX', 'PX', ARGV[2] + retention) then
                states[i] = 'M'
              else
                local value = redis.call('GET', KEYS[i])
                if string.byte(value) == 68 then
                  states[i] = 'D'
                elseif redis.call('PTTL', KEYS[i]) > retention then
                  states[i] = 'F'
                else
                  local attempt, token = string.match(value, ',(%d+),(%d+)$')
                  local next = string.format('%s,%.0f,%.0f', ARGV[1], attempt + 1, math.max(token + 1, now))
                  redis.call('SET', KEYS[i], next, 'PX', ARGV[2] + retention)
                  states[i] = 'M'
                end
              end
            end
            return table.concat(states) .. string.format('%.0f', now)""";

    private static final String FENCED_DONE = """
            local time = redis.call('TIME')
            local done, value = 0, 'D' .. time[1]
            for i = 1, #KEYS do
              local mine = redis.call('GET', KEYS[i])
              if mine and string.find(mine, ARGV[1], 1, true) == 1 then
                redis.call('SET', KEYS[i], value, 'PX', ARGV[2])
                done = done + 1
              end
            end
            return done""";
    private static final String RETENTION_MILLIS = "604800000";

    private final String prefix;
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final RedisCommands<String, String> commands;
    private final String claim;
    private final String done;

    private ByHandKeys(String prefix, int port, String claim, String done) {
        this.prefix = prefix;
        this.client = RedisClient.create(RedisURI.create("127.0.0.1", port));
        this.connection = client.connect();
        this.commands = connection.sync();
        this.claim = commands.scriptLoad(claim);
        this.done = commands.scriptLoad(done);
    }

    /** With owners and leases. */
    public static ByHandKeys leased(int port) {
        return new ByHandKeys("by-hand:", port, CLAIM, DONE);
    }

    /** With fencing tokens and attempts, too. */
    static ByHandKeys fenced(int port) {
        return new ByHandKeys("fenced:", port, FENCED_CLAIM, FENCED_DONE);
    }

    @Override
    public State claim(String id, String owner) {
        String states = commands.evalsha(
                claim, ScriptOutputType.VALUE, keys(List.of(id)), owner, LEASE_MILLIS, RETENTION_MILLIS);
        return state(states.charAt(0));
    }

    private static State state(char letter) {
        return switch (letter) {
            case 'M' -> State.MINE;
            case 'D' -> State.DONE;
            default -> State.IN_FLIGHT;
        };
    }

    @Override
    public void complete(String id, String owner) {
        completeAll(List.of(id), owner);
    }

    @Override
    public Map<String, State> claimAll(Collection<String> ids, String owner) {
        String states =
                commands.evalsha(claim, ScriptOutputType.VALUE, keys(ids), owner, LEASE_MILLIS, RETENTION_MILLIS);
        Map<String, State> byId = new HashMap<>(2 * ids.size());
        int i = 0;
        for (String id : ids) {
            byId.put(id, state(states.charAt(i++)));
        }
        return byId;
    }

    @Override
    public void completeAll(List<String> ids, String owner) {
        Long written = commands.evalsha(done, ScriptOutputType.INTEGER, keys(ids), owner, WINDOW_MILLIS);
        if (written != ids.size()) {
            throw new IllegalStateException("a claim is lost");
        }
    }

    private String[] keys(Collection<String> ids) {
        String[] keys = new String[ids.size()];
        int i = 0;
        for (String id : ids) {
            keys[i++] = prefix + "bench/orders:" + id;
        }
        return keys;
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
}
