package io.dedup.spring.boot.internal.boot;

import io.dedup.spring.boot.internal.store.BootRedis;
import io.dedup.spring.boot.internal.store.RedisServers;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/** Redis as the connection details of Spring Boot 3 give it: of {@code spring.data.redis}, Docker Compose or Testcontainers. */
public final class ConnectionDetailsRedis implements BootRedis {
    private static final String OF_PROPERTIES = "org.springframework.boot.autoconfigure.data.redis.Properties";

    private final ObjectProvider<RedisConnectionDetails> beans;

    public ConnectionDetailsRedis(ObjectProvider<RedisConnectionDetails> beans) {
        this.beans = beans;
    }

    @Override
    public @Nullable RedisServers servers() {
        RedisConnectionDetails details = beans.getIfAvailable();
        return details == null
                ? null
                : new RedisServers(
                        details,
                        details.getClass().getName().startsWith(OF_PROPERTIES),
                        sslBundle(details),
                        details.getUsername(),
                        details.getPassword(),
                        standalone(details.getStandalone()),
                        sentinel(details.getSentinel()),
                        details.getCluster() == null
                                ? null
                                : nodes(details.getCluster().getNodes()));
    }

    private static @Nullable SslBundle sslBundle(RedisConnectionDetails details) {
        if (details.getCluster() != null) {
            return details.getCluster().getSslBundle();
        }
        if (details.getSentinel() != null) {
            return details.getSentinel().getSslBundle();
        }
        return details.getStandalone() == null ? null : details.getStandalone().getSslBundle();
    }

    private static RedisServers.@Nullable Standalone standalone(RedisConnectionDetails.@Nullable Standalone server) {
        return server == null
                ? null
                : new RedisServers.Standalone(server.getHost(), server.getPort(), server.getDatabase());
    }

    private static RedisServers.@Nullable Sentinel sentinel(RedisConnectionDetails.@Nullable Sentinel sentinel) {
        return sentinel == null
                ? null
                : new RedisServers.Sentinel(
                        sentinel.getMaster(),
                        nodes(sentinel.getNodes()),
                        sentinel.getDatabase(),
                        sentinel.getUsername(),
                        sentinel.getPassword());
    }

    private static List<RedisServers.Node> nodes(List<RedisConnectionDetails.Node> nodes) {
        return nodes.stream()
                .map(node -> new RedisServers.Node(node.host(), node.port()))
                .toList();
    }
}
