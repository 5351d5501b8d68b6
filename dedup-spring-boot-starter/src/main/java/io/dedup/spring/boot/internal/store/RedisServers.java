package io.dedup.spring.boot.internal.store;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/**
 * What Spring Boot knows of Redis. At most one of the last three is given.
 *
 * @param details Spring Boot's bean
 * @param ofProperties whether the bean was made from {@code spring.data.redis}
 * @param sslBundle null without one
 * @param username null for the default user
 * @param password null if the server asks for none
 */
public record RedisServers(
        Object details,
        boolean ofProperties,
        @Nullable SslBundle sslBundle,
        @Nullable String username,
        @Nullable String password,
        @Nullable Standalone standalone,
        @Nullable Sentinel sentinel,
        @Nullable List<Node> cluster) {

    /** One server of a cluster, or one sentinel. */
    public record Node(String host, int port) {}

    /** A server alone. */
    public record Standalone(String host, int port, int database) {}

    /** Sentinels, and the master that they watch. */
    public record Sentinel(
            String master,
            List<Node> nodes,
            int database,
            @Nullable String username,
            @Nullable String password) {
        @Override
        public String toString() {
            return "Sentinel[master=" + master + ", nodes=" + nodes + ", database=" + database + "]";
        }
    }

    @Override
    public String toString() {
        return "RedisServers[standalone=" + standalone + ", sentinel=" + sentinel + ", cluster=" + cluster + "]";
    }
}
