package io.dedup.store.redis;

import io.dedup.DedupStoreException;
import io.dedup.store.redis.internal.check.ClassPathProblem;
import io.dedup.store.redis.internal.client.Connectors;
import io.dedup.store.redis.internal.client.RedisConnector;
import io.dedup.store.redis.internal.packed.Packing;
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
 * Builds a {@link RedisDedupStore}. Exactly one of {@link #uri}, {@link #clusterUri}, {@link #client} and
 * {@link #clusterClient} is required. Not thread-safe.
 */
public final class RedisDedupStoreBuilder {
    /** The default namespace: {@code dedup}. */
    public static final String DEFAULT_NAMESPACE = "dedup";

    /** The default attempt retention: 7 days. */
    public static final Duration DEFAULT_ATTEMPT_RETENTION = Duration.ofDays(7);

    /** The default command timeout: 2 s. */
    public static final Duration DEFAULT_COMMAND_TIMEOUT = Duration.ofSeconds(2);

    /** The default maximum number of keys in a script call: 500. */
    public static final int DEFAULT_MAX_BATCH = 500;

    private static final int MAX_BATCH_LIMIT = 5_000;
    private static final int MAX_REPLICAS = 100;
    private static final long MAX_EXPECTED_IDS = 1_000_000_000_000L;
    private static final Duration MIN_RETENTION = Duration.ofSeconds(1);
    private static final Duration MAX_RETENTION = Duration.ofDays(3_650);
    private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);
    private static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);

    private @Nullable Function<Duration, RedisConnector> connector;
    private String namespace = DEFAULT_NAMESPACE;
    private Duration attemptRetention = DEFAULT_ATTEMPT_RETENTION;
    private Duration commandTimeout = DEFAULT_COMMAND_TIMEOUT;
    private int maxBatch = DEFAULT_MAX_BATCH;
    private Packing packing = Packing.OFF;
    private long expectedIds;
    private boolean cluster;
    private @Nullable SslOptions sslOptions;
    private ReplicaConfirmation confirmation = ReplicaConfirmation.NONE;

    RedisDedupStoreBuilder() {}

    /**
     * Connects to a standalone server, or through sentinels to a replica set.
     *
     * @param uri such as {@code redis://user:password@host:6379/0}, {@code rediss://host} for TLS, or
     *     {@code redis-sentinel://host1:26379,host2:26379/0#mymaster}
     */
    public RedisDedupStoreBuilder uri(String uri) {
        RedisURI parsed = parsed("uri", uri, text -> RedisURI.create(text));
        return uri(parsed);
    }

    /** Connects to a standalone server, or through sentinels to a replica set. */
    public RedisDedupStoreBuilder uri(RedisURI uri) {
        return connectBy(timeout -> Connectors.ownClient(uri, timeout, sslOptions));
    }

    /**
     * Connects to a cluster.
     *
     * @param uri such as {@code redis://user:password@host1:6379,host2:6379}: some of the nodes, which report the
     *     others
     */
    public RedisDedupStoreBuilder clusterUri(String uri) {
        return clusterUris(parsed("clusterUri", uri, text -> RedisClusterURIUtil.toRedisURIs(URI.create(text))));
    }

    /** Connects to a cluster through some of its nodes, which report the others. */
    public RedisDedupStoreBuilder clusterUris(List<RedisURI> uris) {
        require(!uris.isEmpty(), "clusterUris must name at least one node");
        List<RedisURI> copy = List.copyOf(uris);
        cluster = true;
        return connectBy(timeout -> Connectors.ownClusterClient(copy, timeout, sslOptions));
    }

    /**
     * Uses the caller's client, which stays open. The store opens two connections with it, and closes them.
     *
     * <p>The client must not send commands again that got no answer before a reconnect, as Lettuce does by default:
     * repeated behind the store's back, a {@code forget} could delete a record that was completed since, and replicas
     * could confirm what they don't have. So set {@code disconnectedBehavior(REJECT_COMMANDS)} in its
     * {@code ClientOptions}, with Lettuce 6.7 or newer. {@link #build} refuses any other client, and every client of an
     * older Lettuce, which doesn't keep to that setting: use {@link #uri} there.
     */
    public RedisDedupStoreBuilder client(RedisClient client, RedisURI uri) {
        return connectBy(timeout -> Connectors.client(client, uri));
    }

    /** Like {@link #client}, for a cluster. Enable the client's adaptive topology refresh. */
    public RedisDedupStoreBuilder clusterClient(RedisClusterClient client) {
        cluster = true;
        return connectBy(timeout -> Connectors.clusterClient(client));
    }

    /**
     * Sets the trust and key material for TLS connections that the store opens; by default that of the JVM. Applies to
     * URIs with {@code rediss://} or {@code ssl}; a client of the caller has its own.
     */
    public RedisDedupStoreBuilder sslOptions(SslOptions options) {
        this.sslOptions = Objects.requireNonNull(options, "sslOptions");
        return this;
    }

    /**
     * Sets the prefix of all keys; {@value #DEFAULT_NAMESPACE} by default. Changing it forgets all windows.
     *
     * @param namespace 1 to 64 ASCII letters, digits, dots, colons, hyphens and underscores; part of every key
     */
    public RedisDedupStoreBuilder namespace(String namespace) {
        require(
                namespace.matches("[A-Za-z0-9._:-]{1,64}"),
                "namespace must be 1 to 64 ASCII letters, digits, '.', ':', '-' or '_'");
        this.namespace = namespace;
        return this;
    }

    /**
     * Sets how long attempts, deaths and tokens of an unfinished message are kept after its last lease; 7 days by
     * default. The first store of a namespace fixes the value: a store with another value does not start.
     *
     * @param attemptRetention from 1 s to 3,650 days, in whole milliseconds
     */
    public RedisDedupStoreBuilder attemptRetention(Duration attemptRetention) {
        requireBetween("attemptRetention", attemptRetention, MIN_RETENTION, MAX_RETENTION);
        this.attemptRetention = attemptRetention;
        return this;
    }

    /**
     * Sets how long a call may take before it fails; 2 s by default. Keep it well below the lease.
     *
     * @param commandTimeout from 1 ms to 1 minute
     */
    public RedisDedupStoreBuilder commandTimeout(Duration commandTimeout) {
        requireBetween("commandTimeout", commandTimeout, MIN_TIMEOUT, MAX_TIMEOUT);
        this.commandTimeout = commandTimeout;
        return this;
    }

    /**
     * Sets the maximum number of keys in one script call; 500 by default. The server handles no other command during
     * the call.
     *
     * @param maxBatch from 1 to 5,000
     */
    public RedisDedupStoreBuilder maxBatch(int maxBatch) {
        require(
                maxBatch >= 1 && maxBatch <= MAX_BATCH_LIMIT,
                "maxBatch must be from 1 to " + MAX_BATCH_LIMIT + ", but is " + maxBatch);
        this.maxBatch = maxBatch;
        return this;
    }

    /**
     * Stores a completed record without a result or a fingerprint as an entry of a bucket, which takes about a fifth of
     * the memory; off by default. All stores of a namespace must have the same setting: one that doesn't pack would not
     * find the records. Records that the namespace already has are found until their windows end. To switch while
     * consumers run, first deploy {@link #readPacked} everywhere.
     *
     * @param expectedIds how many records the namespace will have at a time, from 1 to 10<sup>12</sup>: it fixes the
     *     number of buckets. More records are possible, but from eight times as many on take more memory. The first
     *     store of a namespace fixes the value: a store that needs another number of buckets does not start
     */
    public RedisDedupStoreBuilder packed(long expectedIds) {
        return pack(Packing.WRITE, expectedIds);
    }

    /**
     * Finds packed records, but packs none: for the time in which not all processes of a namespace have
     * {@link #packed}, or in which it is given up.
     *
     * @param expectedIds see {@link #packed}
     */
    public RedisDedupStoreBuilder readPacked(long expectedIds) {
        return pack(Packing.READ, expectedIds);
    }

    private RedisDedupStoreBuilder pack(Packing how, long ids) {
        require(
                ids >= 1 && ids <= MAX_EXPECTED_IDS,
                "packed must expect from 1 to " + MAX_EXPECTED_IDS + " IDs, but expects " + ids);
        this.packing = how;
        this.expectedIds = ids;
        return this;
    }

    /**
     * Requires replicas to confirm claims and completions; none by default. This narrows, but does not close, the
     * window in which a failover loses records. If too few replicas confirm in time, the call fails although it was
     * applied. While the server waits for replicas, it answers nothing else on the store's connection. Not supported
     * for clusters.
     *
     * @param replicas from 1 to 100
     * @param timeout at least 1 ms, and shorter than the command timeout
     */
    public RedisDedupStoreBuilder waitForReplicas(int replicas, Duration timeout) {
        require(
                replicas >= 1 && replicas <= MAX_REPLICAS,
                "waitForReplicas must ask for 1 to " + MAX_REPLICAS + " replicas, but asks for " + replicas);
        requireBetween("the timeout of waitForReplicas", timeout, MIN_TIMEOUT, MAX_TIMEOUT);
        this.confirmation = new ReplicaConfirmation(replicas, timeout);
        return this;
    }

    /**
     * Connects, checks the servers and opens the store.
     *
     * @throws IllegalArgumentException if settings contradict each other, or {@link #client} sends commands again
     * @throws DedupStoreException if a server does not answer, is a replica or too old; if the namespace was created
     *     with another attempt retention or another number of buckets; or if the class path has an older Netty than Lettuce needs
     */
    public RedisDedupStore build() {
        if (connector == null) {
            throw new IllegalArgumentException("set one of uri, clusterUri, client or clusterClient");
        }
        if (confirmation.isWanted() && confirmation.timeout().compareTo(commandTimeout) >= 0) {
            throw new IllegalArgumentException("the timeout of waitForReplicas ("
                    + confirmation.timeout().toMillis() + " ms) must be shorter than commandTimeout ("
                    + commandTimeout.toMillis() + " ms)");
        }
        require(!(cluster && confirmation.isWanted()), "waitForReplicas is not supported for a cluster: remove it");
        try {
            RedisConnector chosen = connector.apply(commandTimeout);
            return StoreAssembly.open(
                    chosen,
                    new RedisSettings(
                            namespace, attemptRetention, commandTimeout, maxBatch, packing, expectedIds, confirmation));
        } catch (RuntimeException | LinkageError e) {
            LinkageError problem = ClassPathProblem.in(e);
            if (problem != null) {
                throw new DedupStoreException("Cannot start the Redis store: " + ClassPathProblem.describe(problem), e);
            }
            throw e;
        }
    }

    private RedisDedupStoreBuilder connectBy(Function<Duration, RedisConnector> how) {
        require(connector == null, "set only one of uri, clusterUri, client or clusterClient, and only once");
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
