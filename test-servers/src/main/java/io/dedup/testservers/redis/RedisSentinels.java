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
        return masterPort(sentinels.get(0));
    }

    private static int masterPort(RedisServer sentinel) {
        String address = sentinel.command("SENTINEL", "get-master-addr-by-name", MASTER_NAME);
        return Integer.parseInt(address.lines().skip(1).findFirst().orElseThrow());
    }

    /** The server that is the master now. */
    public RedisServer currentMaster() {
        return masterPort() == master.port() ? master : replica;
    }

    /** The server that is the replica now. */
    public RedisServer currentReplica() {
        return masterPort() == master.port() ? replica : master;
    }

    /**
     * From now on the master's writes don't reach the replica, which is paused. Resume the replica when the master is gone,
     * and within 3 s.
     */
    public void holdReplicaBack() {
        Replication.holdBack(currentMaster(), currentReplica());
    }

    /** Returns when all sentinels have this server for the master, and it is one. */
    public void awaitPromotion(RedisServer server) {
        for (RedisServer sentinel : sentinels) {
            Await.until("a sentinel knows the new master", () -> masterPort(sentinel) == server.port());
        }
        Replication.awaitPrimary(server);
    }

    /** Makes a killed server the replica of the new master, and returns when it has all data. */
    public void startAsReplica(RedisServer server) {
        RedisServer current = currentMaster();
        server.start();
        Await.until(
                "the server takes its new role",
                () -> server.command("REPLICAOF", current.host(), Integer.toString(current.port()))
                        .startsWith("OK"));
        awaitReplica(server);
    }

    /** Returns when the sentinels have made this server a replica, and would promote it. */
    public void awaitReplica(RedisServer server) {
        Replication.awaitReplica(currentMaster(), server);
        for (RedisServer sentinel : sentinels) {
            Await.until("the sentinels see the replica", () -> {
                String view = sentinel.command("SENTINEL", "replicas", MASTER_NAME) + "\n";
                return view.contains("flags\nslave\n")
                        && view.contains("master-link-status\nok\n")
                        && view.contains("master-port\n" + currentMaster().port() + "\n");
            });
        }
    }

    @Override
    public void close() {
        Stream.concat(sentinels.stream(), Stream.of(replica, master)).forEach(RedisServer::close);
    }
}
