package io.dedup.testservers.redis;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Three masters which share the slots. Thread-safe. */
public final class RedisCluster implements AutoCloseable {

    private static final int SLOTS = 16_384;
    private static final int MASTERS = 3;

    private final List<RedisServer> masters;

    private RedisCluster(List<RedisServer> masters) {
        this.masters = masters;
    }

    static RedisCluster start(RedisBinary binary) {
        List<RedisServer> masters = IntStream.range(0, MASTERS)
                .mapToObj(i -> RedisServer.builder()
                        .binary(binary)
                        .config("cluster-enabled", "yes")
                        .config("cluster-node-timeout", "5000")
                        .start())
                .toList();
        for (int i = 0; i < MASTERS; i++) {
            RedisServer master = masters.get(i);
            master.command(addSlots(i * SLOTS / MASTERS, (i + 1) * SLOTS / MASTERS));
            // Otherwise equal epochs have to be sorted out first.
            master.command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            masters.get(0).command("CLUSTER", "MEET", master.host(), Integer.toString(master.port()));
        }
        for (RedisServer master : masters) {
            Await.until("the cluster is formed", () -> {
                String info = master.command("CLUSTER", "INFO");
                return info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:" + MASTERS);
            });
        }
        return new RedisCluster(masters);
    }

    private static String[] addSlots(int first, int end) {
        return Stream.concat(
                        Stream.of("CLUSTER", "ADDSLOTS"),
                        IntStream.range(first, end).mapToObj(Integer::toString))
                .toArray(String[]::new);
    }

    public List<RedisServer> masters() {
        return masters;
    }

    /** Addresses of all members, as Lettuce reads them. */
    public List<String> uris() {
        return masters.stream().map(RedisServer::uri).toList();
    }

    @Override
    public void close() {
        masters.forEach(RedisServer::close);
    }
}
