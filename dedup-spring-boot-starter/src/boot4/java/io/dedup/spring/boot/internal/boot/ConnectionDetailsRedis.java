package io.dedup.spring.boot.internal.boot;

import io.dedup.spring.boot.internal.store.BootRedis;
import io.dedup.spring.boot.internal.store.RedisServers;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/** Redis as the connection details of Spring Boot 4 give it: of {@code spring.data.redis}, Docker Compose or Testcontainers. */
public final class ConnectionDetailsRedis implements BootRedis {
    private static final String OF_PROPERTIES = "org.springframework.boot.data.redis.autoconfigure.Properties";

    private final ObjectProvider<DataRedisConnectionDetails> beans;

    public ConnectionDetailsRedis(ObjectProvider<DataRedisConnectionDetails> beans) {
        this.beans = beans;
    }

    @Override
    public @Nullable RedisServers servers() {
        DataRedisConnectionDetails details = beans.getIfAvailable();
        return details == null
                ? null
                : new RedisServers(
                        details,
                        details.getClass().getName().startsWith(OF_PROPERTIES),
                        details.getSslBundle(),
                        details.getUsername(),
                        details.getPassword(),
                        standalone(details.getStandalone()),
                        sentinel(details.getSentinel()),
                        details.getCluster() == null
                                ? null
                                : nodes(details.getCluster().getNodes()));
    }

    private static RedisServers.@Nullable Standalone standalone(
            DataRedisConnectionDetails.@Nullable Standalone server) {
        return server == null
                ? null
                : new RedisServers.Standalone(server.getHost(), server.getPort(), server.getDatabase());
    }

    private static RedisServers.@Nullable Sentinel sentinel(DataRedisConnectionDetails.@Nullable Sentinel sentinel) {
        return sentinel == null
                ? null
                : new RedisServers.Sentinel(
                        sentinel.getMaster(),
                        nodes(sentinel.getNodes()),
                        sentinel.getDatabase(),
                        sentinel.getUsername(),
                        sentinel.getPassword());
    }

    private static List<RedisServers.Node> nodes(List<DataRedisConnectionDetails.Node> nodes) {
        return nodes.stream()
                .map(node -> new RedisServers.Node(node.host(), node.port()))
                .toList();
    }
}
