package io.dedup.store.redis.internal.client;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Creates connectors, for a user's client or for a client of the store itself.
 *
 * <p>The store's own client is set up to fail fast, and to send nothing twice: see {@link UnansweredCommands}. By
 * default, Lettuce keeps commands while it is disconnected and sends them after the reconnect, together with commands
 * that lost their answer. It would also wait up to half a minute before it reconnects.
 */
public final class Connectors {
    private static final Duration LONGEST_RECONNECT_DELAY = Duration.ofSeconds(1);
    private static final Duration TOPOLOGY_REFRESH = Duration.ofSeconds(15);
    private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(5);

    /** More than one, so that a slow answer only ends its own call. */
    private static final int TIMEOUTS_OF_SILENCE = 2;

    private Connectors() {}

    /**
     * Of a user's client, which stays open.
     *
     * @throws IllegalArgumentException if it sends commands again after a reconnect
     */
    public static RedisConnector client(RedisClient client, RedisURI uri) {
        requireSendingOnce(client.getOptions());
        return new SingleConnector(client, uri, OpenConnections.connectionsOnly());
    }

    /** Like {@link #client}, for a cluster. */
    public static RedisConnector clusterClient(RedisClusterClient client) {
        requireSendingOnce(client.getOptions());
        return new ClusterConnector(client, List.of(), OpenConnections.connectionsOnly());
    }

    private static void requireSendingOnce(ClientOptions options) {
        if (options.getDisconnectedBehavior() != DisconnectedBehavior.REJECT_COMMANDS) {
            throw new IllegalArgumentException("the client sends commands without an answer again after a reconnect."
                    + " Set disconnectedBehavior(REJECT_COMMANDS) in its ClientOptions");
        }
        if (!isLettuce67()) {
            throw new IllegalArgumentException(
                    "Lettuce before 6.7 sends commands without an answer again after a"
                            + " reconnect, also with REJECT_COMMANDS. Use uri or clusterUri instead of a client, or Lettuce 6.7");
        }
    }

    /** By what that version brought: its number is in a manifest, which a jar of all dependencies doesn't have. */
    private static boolean isLettuce67() {
        return Stream.of(CommandType.values()).anyMatch(type -> type.name().equals("VADD"));
    }

    public static RedisConnector ownClient(RedisURI uri, Duration commandTimeout, @Nullable SslOptions ssl) {
        ClientResources resources = resources(commandTimeout);
        RedisClient client = RedisClient.create(resources);
        client.setOptions(common(ClientOptions.builder(), commandTimeout, ssl).build());
        return new SingleConnector(
                client,
                RedisUris.withTimeout(uri, commandTimeout),
                OpenConnections.ownClient(() -> shutDown(client, resources)));
    }

    public static RedisConnector ownClusterClient(
            List<RedisURI> uris, Duration commandTimeout, @Nullable SslOptions ssl) {
        ClientResources resources = resources(commandTimeout);
        List<RedisURI> seeds = uris.stream()
                .map(uri -> RedisUris.withTimeout(uri, commandTimeout))
                .toList();
        RedisClusterClient client = RedisClusterClient.create(resources, seeds);
        ClusterClientOptions.Builder options = ClusterClientOptions.builder();
        common(options, commandTimeout, ssl);
        client.setOptions(options.topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enablePeriodicRefresh(TOPOLOGY_REFRESH)
                        .build())
                .build());
        return new ClusterConnector(client, seeds, OpenConnections.ownClient(() -> shutDown(client, resources)));
    }

    private static ClientOptions.Builder common(
            ClientOptions.Builder options, Duration commandTimeout, @Nullable SslOptions ssl) {
        if (ssl != null) {
            options.sslOptions(ssl);
        }
        return options.disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .replayFilter(UnansweredCommands::fail)
                // Every wait has a deadline of its own; a timer per command would only cost.
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(commandTimeout)
                        .keepAlive(true)
                        .build());
    }

    private static ClientResources resources(Duration commandTimeout) {
        Duration silence = commandTimeout.multipliedBy(TIMEOUTS_OF_SILENCE);
        return ClientResources.builder()
                .nettyCustomizer(new NettyCustomizer() {
                    @Override
                    public void afterChannelInitialized(Channel channel) {
                        channel.pipeline().addFirst(new SilentConnectionCloser(silence));
                        UnansweredCommands.failIn(channel);
                    }
                })
                .reconnectDelay(Delay.exponential(Duration.ZERO, LONGEST_RECONNECT_DELAY, 2, TimeUnit.MILLISECONDS))
                .build();
    }

    private static void shutDown(AbstractRedisClient client, ClientResources resources) {
        try {
            client.shutdown(Duration.ZERO, SHUTDOWN_TIMEOUT);
        } finally {
            resources
                    .shutdown(0, SHUTDOWN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                    .awaitUninterruptibly(SHUTDOWN_TIMEOUT.toMillis());
        }
    }
}
