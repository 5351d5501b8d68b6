package io.dedup.testservers.redis;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Three masters which share the slots, each with a replica if wanted. Thread-safe. */
public final class RedisCluster implements AutoCloseable {

    private static final int SLOTS = 16_384;
    private static final int MASTERS = 3;

    private final List<RedisServer> masters;
    private final List<RedisServer> replicas;

    private RedisCluster(List<RedisServer> masters, List<RedisServer> replicas) {
        this.masters = masters;
        this.replicas = replicas;
    }

    static RedisCluster start(RedisBinary binary) {
        return new RedisCluster(formed(nodes(binary)), List.of());
    }

    static RedisCluster startReplicated(RedisBinary binary) {
        List<RedisServer> masters = formed(nodes(binary));
        List<RedisServer> replicas = nodes(binary);
        for (RedisServer replica : replicas) {
            replica.command(
                    "CLUSTER",
                    "MEET",
                    masters.get(0).host(),
                    Integer.toString(masters.get(0).port()));
        }
        RedisCluster cluster = new RedisCluster(masters, replicas);
        Await.until("all nodes know each other", () -> cluster.isWhole(2 * MASTERS));
        for (int i = 0; i < MASTERS; i++) {
            replicas.get(i).command("CLUSTER", "REPLICATE", masters.get(i).command("CLUSTER", "MYID"));
        }
        for (int i = 0; i < MASTERS; i++) {
            Replication.awaitReplica(masters.get(i), replicas.get(i));
        }
        // The other masters vote for a replica only when they know whose it is.
        Await.until("all nodes know the replicas", cluster::hasReplicas);
        return cluster;
    }

    private static List<RedisServer> nodes(RedisBinary binary) {
        return IntStream.range(0, MASTERS)
                .mapToObj(i -> RedisServer.builder()
                        .binary(binary)
                        .config("cluster-enabled", "yes")
                        .config("cluster-node-timeout", "5000")
                        .config("repl-diskless-sync-delay", "0")
                        .start())
                .toList();
    }

    private static List<RedisServer> formed(List<RedisServer> masters) {
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
        return masters;
    }

    private static String[] addSlots(int first, int end) {
        return Stream.concat(
                        Stream.of("CLUSTER", "ADDSLOTS"),
                        IntStream.range(first, end).mapToObj(Integer::toString))
                .toArray(String[]::new);
    }

    /** The servers that were masters at first. */
    public List<RedisServer> masters() {
        return masters;
    }

    /** The servers that were replicas at first, in the order of their masters. */
    public List<RedisServer> replicas() {
        return replicas;
    }

    /** Returns which of the original master and its replica is the master now; both have to run. */
    public RedisServer currentMaster(int pair) {
        return replicas.get(pair).command("ROLE").startsWith("master") ? replicas.get(pair) : masters.get(pair);
    }

    /** The other one. */
    public RedisServer currentReplica(int pair) {
        return currentMaster(pair) == masters.get(pair) ? replicas.get(pair) : masters.get(pair);
    }

    /**
     * From now on this master's writes don't reach its replica, which is paused. Resume the replica when the master is gone,
     * and within 5 s.
     */
    public void holdReplicaBack(int pair) {
        Replication.holdBack(currentMaster(pair), currentReplica(pair));
    }

    /** Returns when this server is a master, and all nodes except the replaced one serve all slots. */
    public void awaitPromotion(RedisServer server) {
        Replication.awaitPrimary(server);
        RedisServer replaced = partner(server);
        Await.until(
                "the cluster serves all slots",
                () -> nodes().filter(node -> node != replaced).allMatch(RedisCluster::serves));
    }

    /** Starts a server again that was replaced, and returns when it has become a replica. */
    public void startAsReplica(RedisServer server) {
        server.start();
        awaitReplica(server);
    }

    /** Returns when a server that was replaced has become a replica, and all nodes know. */
    public void awaitReplica(RedisServer server) {
        Replication.awaitReplica(partner(server), server);
        Await.until("the cluster is whole", () -> isWhole(2 * MASTERS));
        Await.until("all nodes know the replicas", this::hasReplicas);
    }

    private RedisServer partner(RedisServer server) {
        int place = masters.indexOf(server);
        return place >= 0 ? replicas.get(place) : masters.get(replicas.indexOf(server));
    }

    /** Moves a slot to another master, with its keys, as a resharding does. */
    public void moveSlot(int slot, RedisServer from, RedisServer to) {
        String number = Integer.toString(slot);
        String source = from.command("CLUSTER", "MYID");
        String target = to.command("CLUSTER", "MYID");
        to.command("CLUSTER", "SETSLOT", number, "IMPORTING", source);
        from.command("CLUSTER", "SETSLOT", number, "MIGRATING", target);
        for (List<String> keys = keys(from, number); !keys.isEmpty(); keys = keys(from, number)) {
            from.command(Stream.concat(
                            Stream.of("MIGRATE", to.host(), Integer.toString(to.port()), "", "0", "5000", "KEYS"),
                            keys.stream())
                    .toArray(String[]::new));
        }
        to.command("CLUSTER", "SETSLOT", number, "NODE", target);
        from.command("CLUSTER", "SETSLOT", number, "NODE", target);
    }

    private static List<String> keys(RedisServer master, String slot) {
        return master.command("CLUSTER", "GETKEYSINSLOT", slot, "100").lines().toList();
    }

    private boolean isWhole(int nodes) {
        return nodes().allMatch(node ->
                serves(node) && node.command("CLUSTER", "INFO").contains("cluster_known_nodes:" + nodes));
    }

    private static boolean serves(RedisServer node) {
        return node.command("CLUSTER", "INFO").contains("cluster_state:ok");
    }

    private boolean hasReplicas() {
        return nodes().allMatch(node -> node.command("CLUSTER", "NODES")
                        .lines()
                        .filter(line -> line.matches("\\S+ \\S+ (myself,)?slave .* connected.*"))
                        .count()
                == MASTERS);
    }

    private Stream<RedisServer> nodes() {
        return Stream.concat(masters.stream(), replicas.stream());
    }

    /** Addresses of all members, as Lettuce reads them. */
    public List<String> uris() {
        return nodes().map(RedisServer::uri).toList();
    }

    @Override
    public void close() {
        nodes().forEach(RedisServer::close);
    }
}
