package io.dedup.benchmarks.redis;

import io.dedup.benchmarks.network.Network;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.store.redis.RedisDedupStoreBuilder;
import io.dedup.testservers.redis.RedisBinary;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Redis server of one's own, a store on it, and a bare connection to it.
 *
 * @param name with its distance
 * @param route the way that clients take
 */
public record RedisUnderTest(
        RedisServer server,
        String name,
        Network.Route route,
        RedisDedupStore store,
        RedisClient client,
        StatefulRedisConnection<byte[], byte[]> connection)
        implements AutoCloseable {
    private static final Pattern USED_CPU = Pattern.compile("(?m)^used_cpu_(?:user|sys):([0-9.]+)");

    public static RedisUnderTest start(RedisBinary binary, Network network) {
        return start(binary, network, UnaryOperator.identity());
    }

    static RedisUnderTest start(RedisBinary binary, Network network, UnaryOperator<RedisDedupStoreBuilder> settings) {
        RedisServer server = RedisServers.builder()
                .binary(binary)
                .config("maxmemory-policy", "noeviction")
                .start();
        Network.Route route = network.to(server.port());
        String uri = "redis://" + server.host() + ":" + route.port();
        RedisClient client = RedisClient.create(uri);
        return new RedisUnderTest(
                server,
                network.name("Redis " + server.binary().version()),
                route,
                settings.apply(RedisDedupStore.builder().uri(uri)).build(),
                client,
                client.connect(ByteArrayCodec.INSTANCE));
    }

    /** Another connection; ends with the client. */
    StatefulRedisConnection<byte[], byte[]> ownConnection() {
        return client.connect(ByteArrayCodec.INSTANCE);
    }

    /** User and system time of the server's process. */
    long serverNanos() {
        Matcher seconds = USED_CPU.matcher(server.command("INFO", "cpu"));
        double sum = 0;
        while (seconds.find()) {
            sum += Double.parseDouble(seconds.group(1));
        }
        return Math.round(sum * 1e9);
    }

    @Override
    public void close() {
        store.close();
        connection.close();
        client.shutdown();
        route.close();
        server.close();
    }
}
