package io.dedup.store.redis.internal.check;

import io.dedup.DedupStoreException;
import io.dedup.store.redis.internal.connection.CommandExchange;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.dedup.store.redis.internal.server.ServerFacts;
import io.dedup.store.redis.internal.server.ServerQueries;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks the servers at start. */
public final class ServerCheck {
    private static final Logger log = LoggerFactory.getLogger(ServerCheck.class);

    private final ServerQueries queries;
    private final RedisErrors errors;
    private final List<String> warnings = new ArrayList<>();

    public ServerCheck(CommandExchange exchange, RedisErrors errors) {
        this.queries = new ServerQueries(exchange, errors, "start");
        this.errors = errors;
    }

    /**
     * Rejects servers that cannot work, and warns of settings that may lose records.
     *
     * @param asCluster whether each key is sent separately, to the server of its slot
     * @return the lowest version of the servers, see {@link ServerFacts#version}
     */
    public int inspect(List<StatefulRedisConnection<byte[], byte[]>> masters, boolean asCluster) {
        List<ServerFacts> servers = new ArrayList<>();
        for (StatefulRedisConnection<byte[], byte[]> master : masters) {
            servers.add(ask(master));
        }
        int version = ServerFacts.lowestVersion(servers);
        if (version != 0 && version < ServerFacts.V6_2) {
            throw new DedupStoreException(
                    "Redis " + errors.where() + " is older than version 6.2. Upgrade the server, or use another store",
                    null);
        }
        if (servers.stream().anyMatch(ServerFacts::isReplica)) {
            throw new DedupStoreException(
                    "Redis " + errors.where() + " is a replica. Set uri to the master or to the sentinels", null);
        }
        if (!asCluster && servers.stream().anyMatch(ServerFacts::isOfCluster)) {
            throw new DedupStoreException(
                    "Redis " + errors.where()
                            + " is a node of a Redis Cluster, which rejects batches over several slots. Use clusterUri or"
                            + " clusterClient instead of uri or client, even for a single node",
                    null);
        }
        servers.stream().map(ServerFacts::evictionPolicy).distinct().forEach(this::warnOfEviction);
        return version;
    }

    private ServerFacts ask(StatefulRedisConnection<byte[], byte[]> master) {
        try {
            return queries.server(master);
        } catch (DedupStoreException e) {
            Throwable cause = e.getCause();
            String error = cause == null ? "" : String.valueOf(cause.getMessage());
            boolean denied = RedisErrors.isNotPermitted(error);
            if (!denied && !RedisErrors.isUnknownCommand(error)) {
                throw e;
            }
            warn("Redis " + errors.where()
                    + (denied ? " denies INFO to the store's user" : " has no command of the name INFO")
                    + ", so its version (assumed: 6.2) and its maxmemory-policy are unknown. "
                    + (denied ? "Grant INFO to that user" : "Remove rename-command INFO from its configuration"));
            return new ServerFacts(0, false, false, null);
        }
    }

    private void warnOfEviction(@Nullable String policy) {
        if (!ServerFacts.NO_EVICTION.equals(policy)) {
            warn("Redis " + errors.where() + " has maxmemory-policy " + (policy == null ? "unknown" : policy)
                    + ": when memory is full, it may evict records of handled messages, which are then handled again if"
                    + " redelivered. Set maxmemory-policy to " + ServerFacts.NO_EVICTION);
        }
    }

    private void warn(String warning) {
        log.warn("{}", warning);
        warnings.add(warning);
    }

    /** The warnings of {@link #inspect}. */
    public List<String> warnings() {
        return List.copyOf(warnings);
    }
}
