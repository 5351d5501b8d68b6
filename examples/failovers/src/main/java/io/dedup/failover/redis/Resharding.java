package io.dedup.failover.redis;

import io.dedup.failover.plan.Outage;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.store.redis.RedisDedupStoreBuilder;
import io.dedup.testservers.redis.RedisBinary;
import io.dedup.testservers.redis.RedisCluster;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.lettuce.core.cluster.SlotHash;
import java.util.List;

/** Slots of a cluster move from one master to the next, first those with claims of messages that are being handled. */
final class Resharding implements FailingRedis {
    private static final int SLOTS = 50;

    /** A record that is done is an integer. */
    private static final String FIND_UNFINISHED = """
            local cursor = '0'
            repeat
              local found = redis.call('SCAN', cursor, 'MATCH', 'dedup{}:[0-9]*', 'COUNT', 1000)
              cursor = found[1]
              for _, key in ipairs(found[2]) do
                if redis.call('OBJECT', 'ENCODING', key) ~= 'int' then
                  return key
                end
              end
            until cursor == '0'
            return ''
            """;

    private final RedisCluster servers = RedisServers.startCluster(RedisBinary.embedded());

    @Override
    public RedisDedupStoreBuilder store() {
        return RedisDedupStore.builder().clusterUris(ClusterUris.of(servers));
    }

    @Override
    public Outage failOver(int number) {
        List<RedisServer> masters = servers.masters();
        RedisServer from = masters.get(number % masters.size());
        RedisServer to = masters.get((number + 1) % masters.size());
        long begin = System.currentTimeMillis();
        int moved = 0;
        int unfinished = 0;
        while (moved < SLOTS) {
            String key = from.command("EVAL", FIND_UNFINISHED, "0");
            if (key.isEmpty()) {
                key = from.command("RANDOMKEY");
            } else {
                unfinished++;
            }
            if (!key.isEmpty()) {
                servers.moveSlot(SlotHash.getSlot(key), from, to);
                moved++;
            }
        }
        return Outage.keepsAll(
                SLOTS + " slots moved, " + unfinished + " of them with a claim", begin, System.currentTimeMillis());
    }

    @Override
    public void close() {
        servers.close();
    }
}
