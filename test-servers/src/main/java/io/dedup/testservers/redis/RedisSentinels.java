package io.dedup.testservers.redis;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A master, a replica and three sentinels, which fail over when two of them haven't reached the master for a second.
 * Thread-safe.
 */
public final class RedisSentinels implements AutoCloseable {

    private static final String MASTER_NAME = "main";
    private static final int COUNT = 3;
    private static final int QUORUM = 2;

    private final RedisServer master;
    private final RedisServer replica;
    private final List<RedisServer> sentinels;

    private RedisSentinels(RedisServer master, RedisServer replica, List<RedisServer> sentinels) {
        this.master = master;
        this.replica = replica;
        this.sentinels = sentinels;
    }

    static RedisSentinels start(RedisBinary binary) {
        RedisServer master = RedisServer.builder()
                .binary(binary)
                .config("repl-diskless-sync-delay", "0")
                .start();
        RedisServer replica = RedisServer.builder()
                .binary(binary)
                .config("replicaof", master.host() + " " + master.port())
                .start();
        Await.until(
                "the replica follows the master",
                () -> replica.command("INFO", "replication").contains("master_link_status:up"));
        List<RedisServer> sentinels = IntStream.range(0, COUNT)
                .mapToObj(i -> RedisServer.builder()
                        .binary(binary)
                        .sentinel(configuration(master))
                        .start())
                .toList();
        for (RedisServer sentinel : sentinels) {
            Await.until("the sentinels know each other and the replica", () -> {
                String view = sentinel.command("SENTINEL", "master", MASTER_NAME) + "\n";
                return view.contains("num-other-sentinels\n" + (COUNT - 1) + "\n") && view.contains("num-slaves\n1\n");
            });
        }
        return new RedisSentinels(master, replica, sentinels);
    }

    private static String configuration(RedisServer master) {
        return """
                sentinel monitor %1$s %2$s %3$d %4$d
                sentinel down-after-milliseconds %1$s 3000
                sentinel failover-timeout %1$s 3000
                """.formatted(MASTER_NAME, master.host(), master.port(), QUORUM);
    }

    /** The name by which clients ask the sentinels for the master. */
    public String masterName() {
        return MASTER_NAME;
    }

    /** The server that was the master at first. */
    public RedisServer master() {
        return master;
    }

    /** The server that was the replica at first. */
    public RedisServer replica() {
        return replica;
    }

    public List<RedisServer> sentinels() {
        return sentinels;
    }

    /** The port of the master, as a sentinel sees it now. */
    public int masterPort() {
        String address = sentinels.get(0).command("SENTINEL", "get-master-addr-by-name", MASTER_NAME);
        return Integer.parseInt(address.lines().skip(1).findFirst().orElseThrow());
    }

    @Override
    public void close() {
        Stream.concat(sentinels.stream(), Stream.of(replica, master)).forEach(RedisServer::close);
    }
}
