package io.dedup.store.redis.internal.connection;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.ConnectionIntent;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A connection to every master of a cluster.
 *
 * <p>Lettuce would send a pipeline slot by slot, with one write to the socket for nearly every key. This class sends it
 * node by node. If a node has given a slot away, it answers {@code MOVED}, and the command is sent again separately.
 */
public record ClusterLink(StatefulRedisClusterConnection<byte[], byte[]> connection) implements RedisLink {
    /** Enough tries to find, very likely, even a server that serves a single slot. */
    private static final int MOST_TRIES = 4 * SlotHash.SLOT_COUNT;

    @Override
    public void send(AsyncCommand<byte[], byte[], ?> command) {
        connection.dispatch(command);
    }

    @Override
    public void sendAll(List<AsyncCommand<byte[], byte[], ?>> commands) {
        Partitions partitions = connection.getPartitions();
        Map<RedisClusterNode, List<AsyncCommand<byte[], byte[], ?>>> byNode = new HashMap<>();
        for (AsyncCommand<byte[], byte[], ?> command : commands) {
            int slot = SlotHash.getSlot(Objects.requireNonNull(command.getArgs().getFirstEncodedKey()));
            RedisClusterNode master = partitions.getMasterBySlot(slot);
            if (master == null) {
                command.completeExceptionally(new RedisException("no master serves slot " + slot));
            } else {
                byNode.computeIfAbsent(master, node -> new ArrayList<>()).add(command);
            }
        }
        byNode.forEach(this::sendTo);
    }

    private void sendTo(RedisClusterNode master, List<AsyncCommand<byte[], byte[], ?>> commands) {
        try {
            // By host and port: the connection that single commands use as well.
            var unused = connection
                    .getConnectionAsync(
                            master.getUri().getHost(), master.getUri().getPort(), ConnectionIntent.WRITE)
                    .whenComplete((node, failure) -> deliver(commands, node, failure));
        } catch (RuntimeException e) { // the node has just left the cluster
            commands.forEach(command -> command.completeExceptionally(e));
        }
    }

    private static void deliver(
            List<AsyncCommand<byte[], byte[], ?>> commands,
            @Nullable StatefulRedisConnection<byte[], byte[]> node,
            @Nullable Throwable failure) {
        Throwable problem = failure;
        if (node != null) {
            try {
                node.dispatch(commands);
                return;
            } catch (RuntimeException e) {
                problem = e;
            }
        }
        Throwable cause = problem != null ? problem : new RedisException("no connection to the node");
        commands.forEach(command -> command.completeExceptionally(cause));
    }

    @Override
    public boolean isCluster() {
        return true;
    }

    /** Finds the keys by trying: with a few servers and thousands of slots each, a few keys suffice. */
    @Override
    public List<byte[]> keyOnEachServer(byte[] prefix) {
        Partitions partitions = connection.getPartitions();
        int servers = ClusterNodes.serving(partitions).size();
        Map<RedisClusterNode, byte[]> keys = new HashMap<>();
        for (int i = 0; i < MOST_TRIES && keys.size() < servers; i++) {
            byte[] number = Integer.toString(i).getBytes(StandardCharsets.US_ASCII);
            byte[] key = Arrays.copyOf(prefix, prefix.length + number.length);
            System.arraycopy(number, 0, key, prefix.length, number.length);
            RedisClusterNode master = partitions.getMasterBySlot(SlotHash.getSlot(key));
            if (master != null) {
                keys.putIfAbsent(master, key);
            }
        }
        return List.copyOf(keys.values());
    }

    /** Identifies the server of a key; a slot without a master identifies itself. */
    @Override
    public Object serverOf(ByteBuffer key) {
        int slot = SlotHash.getSlot(key);
        RedisClusterNode master = connection.getPartitions().getMasterBySlot(slot);
        return master == null ? slot : master.getNodeId();
    }
}
