package io.dedup.store.redis;

import io.dedup.DedupStoreException;
import io.dedup.store.redis.internal.check.ClassPathProblem;
import io.dedup.store.redis.internal.client.Connectors;
import io.dedup.store.redis.internal.client.RedisConnector;
import io.dedup.store.redis.internal.script.ReplicaConfirmation;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.RedisClusterURIUtil;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Describes a {@link RedisDedupStore}. Where the records are is the one thing that has to be said, by one of
 * {@link #uri}, {@link #clusterUri}, {@link #client} and {@link #clusterClient}. Not thread-safe.
 */
public final class RedisDedupStoreBuilder {
    /** Keys begin with {@code dedup} unless told otherwise. */
    public static final String DEFAULT_NAMESPACE = "dedup";

    /** 7 days. */
    public static final Duration DEFAULT_ATTEMPT_RETENTION = Duration.ofDays(7);

    /** 2 s. */
    public static final Duration DEFAULT_COMMAND_TIMEOUT = Duration.ofSeconds(2);

    /** 500 keys. */
    public static final int DEFAULT_MAX_BATCH = 500;

    private static final int MAX_BATCH_LIMIT = 5_000;
    private static final int MAX_REPLICAS = 100;
    private static final Duration MIN_RETENTION = Duration.ofSeconds(1);
    private static final Duration MAX_RETENTION = Duration.ofDays(3_650);
    private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);
    private static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);

    private @Nullable Function<Duration, RedisConnector> connector;
    private String namespace = DEFAULT_NAMESPACE;
    private Duration attemptRetention = DEFAULT_ATTEMPT_RETENTION;
    private Duration commandTimeout = DEFAULT_COMMAND_TIMEOUT;
    private int maxBatch = DEFAULT_MAX_BATCH;
    private boolean cluster;
    private @Nullable SslOptions sslOptions;
    private ReplicaConfirmation confirmation = ReplicaConfirmation.NONE;

    RedisDedupStoreBuilder() {}

    /**
     * A standalone server, or the sentinels of a replica set.
     *
     * @param uri such as {@code redis://user:password@host:6379/0}, {@code rediss://host} for TLS, or
     *     {@code redis-sentinel://host1:26379,host2:26379/0#mymaster}
     */
    public RedisDedupStoreBuilder uri(String uri) {
        RedisURI parsed = parsed("uri", uri, text -> RedisURI.create(text));
        return uri(parsed);
    }

    /** A standalone server, or the sentinels of a replica set. */
    public RedisDedupStoreBuilder uri(RedisURI uri) {
        return connectBy(timeout -> Connectors.ownClient(uri, timeout, sslOptions));
    }

    /**
     * A cluster.
     *
     * @param uri such as {@code redis://user:password@host1:6379,host2:6379}: some of the nodes, which name the others
     */
    public RedisDedupStoreBuilder clusterUri(String uri) {
        return clusterUris(parsed("clusterUri", uri, text -> RedisClusterURIUtil.toRedisURIs(URI.create(text))));
    }

    /** A cluster, by some of its nodes, which name the others. */
    public RedisDedupStoreBuilder clusterUris(List<RedisURI> uris) {
        require(!uris.isEmpty(), "clusterUris must name at least one node");
        List<RedisURI> copy = List.copyOf(uris);
        cluster = true;
        return connectBy(timeout -> Connectors.ownClusterClient(copy, timeout, sslOptions));
    }

    /**
     * A client of yours, which stays open; the store opens and closes two connections of it. Set its
     * {@code ClientOptions} to {@code REJECT_COMMANDS} while disconnected: by default Lettuce sends commands that lost
     * their answer again when it is connected again, and a completion that was applied then answers lease lost.
     */
    public RedisDedupStoreBuilder client(RedisClient client, RedisURI uri) {
        return connectBy(timeout -> Connectors.client(client, uri));
    }

    /** Like {@link #client}, for a cluster; turn on its adaptive topology refresh. */
    public RedisDedupStoreBuilder clusterClient(RedisClusterClient client) {
        cluster = true;
        return connectBy(timeout -> Connectors.clusterClient(client));
    }

    /**
     * The trust and key material of TLS connections that the store opens itself; by default the JVM's. For URIs with
     * {@code rediss://} or {@code ssl}; a client of yours has its own.
     */
    public RedisDedupStoreBuilder sslOptions(SslOptions options) {
        this.sslOptions = Objects.requireNonNull(options, "sslOptions");
        return this;
    }

    /**
     * What all keys begin with; by default {@value #DEFAULT_NAMESPACE}. Another one forgets all windows.
     *
     * @param namespace 1 to 64 ASCII letters, digits, dots, colons, hyphens and underscores. Every key holds it
     */
    public RedisDedupStoreBuilder namespace(String namespace) {
        require(
                namespace.matches("[A-Za-z0-9._:-]{1,64}"),
                "namespace must be 1 to 64 ASCII letters, digits, '.', ':', '-' or '_'");
        this.namespace = namespace;
        return this;
    }

    /**
     * How long attempts, deaths and tokens of an unfinished message outlive its last lease; by default 7 days. Fixed
     * for a namespace when it is first used: a store with another value doesn't start.
     *
     * @param attemptRetention 1 s to 3,650 days, to the millisecond
     */
    public RedisDedupStoreBuilder attemptRetention(Duration attemptRetention) {
        requireBetween("attemptRetention", attemptRetention, MIN_RETENTION, MAX_RETENTION);
        this.attemptRetention = attemptRetention;
        return this;
    }

    /**
     * How long a call may take before it counts as failed; by default 2 s. Keep it well below the lease.
     *
     * @param commandTimeout 1 ms to 1 minute
     */
    public RedisDedupStoreBuilder commandTimeout(Duration commandTimeout) {
        requireBetween("commandTimeout", commandTimeout, MIN_TIMEOUT, MAX_TIMEOUT);
        this.commandTimeout = commandTimeout;
        return this;
    }

    /**
     * How many keys go into one script call; by default 500. While it runs, the server does nothing else.
     *
     * @param maxBatch 1 to 5,000
     */
    public RedisDedupStoreBuilder maxBatch(int maxBatch) {
        require(
                maxBatch >= 1 && maxBatch <= MAX_BATCH_LIMIT,
                "maxBatch must be from 1 to " + MAX_BATCH_LIMIT + ", but is " + maxBatch);
        this.maxBatch = maxBatch;
        return this;
    }

    /**
     * Makes claims and completions count only when replicas have confirmed them; by default none. It narrows, and
     * doesn't close, the window in which a failover forgets. Where too few confirm, the call fails although it was
     * applied. While the server waits, it answers nobody else on the store's connection. Not for clusters.
     *
     * @param replicas 1 to 100
     * @param timeout at least 1 ms, and less than the command time-out
     */
    public RedisDedupStoreBuilder waitForReplicas(int replicas, Duration timeout) {
        require(
                replicas >= 1 && replicas <= MAX_REPLICAS,
                "waitForReplicas must ask for 1 to " + MAX_REPLICAS + " replicas, but asks for " + replicas);
        requireBetween("waitForReplicas' timeout", timeout, MIN_TIMEOUT, MAX_TIMEOUT);
        this.confirmation = new ReplicaConfirmation(replicas, timeout);
        return this;
    }

    /**
     * Connects and looks at the servers.
     *
     * @throws IllegalArgumentException when settings don't go together
     * @throws DedupStoreException when a server doesn't answer, is a replica or too old, when the namespace was
     *     started with another attempt retention, or when the class path has an older Netty than Lettuce needs
     */
    public RedisDedupStore build() {
        if (connector == null) {
            throw new IllegalArgumentException("set one of uri, clusterUri, client and clusterClient");
        }
        if (confirmation.isWanted() && confirmation.timeout().compareTo(commandTimeout) >= 0) {
            throw new IllegalArgumentException("waitForReplicas' timeout of "
                    + confirmation.timeout().toMillis() + " ms must be less than the commandTimeout of "
                    + commandTimeout.toMillis() + " ms");
        }
        require(!(cluster && confirmation.isWanted()), "waitForReplicas isn't there for clusters: leave it out");
        try {
            RedisConnector chosen = connector.apply(commandTimeout);
            return StoreAssembly.open(
                    chosen, new RedisSettings(namespace, attemptRetention, commandTimeout, maxBatch, confirmation));
        } catch (RuntimeException | LinkageError e) {
            LinkageError problem = ClassPathProblem.in(e);
            if (problem != null) {
                throw new DedupStoreException("Redis store: start failed: " + ClassPathProblem.describe(problem), e);
            }
            throw e;
        }
    }

    private RedisDedupStoreBuilder connectBy(Function<Duration, RedisConnector> how) {
        require(connector == null, "set only one of uri, clusterUri, client and clusterClient, and once");
        connector = how;
        return this;
    }

    private static <T> T parsed(String setting, String uri, Function<String, T> parser) {
        try {
            return parser.apply(uri);
        } catch (RuntimeException e) {
            // Neither the text nor the cause: both may hold a password.
            throw new IllegalArgumentException(setting + " is not a Redis URI such as redis://host:6379");
        }
    }

    private static void requireBetween(String setting, Duration value, Duration min, Duration max) {
        require(
                value.compareTo(min) >= 0 && value.compareTo(max) <= 0,
                setting + " must be from " + min + " to " + max + ", but is " + value);
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
