package io.dedup.spring.boot.internal.store;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.store.RedisServers.Node;
import io.dedup.spring.boot.internal.store.RedisServers.Sentinel;
import io.dedup.spring.boot.internal.store.RedisServers.Standalone;
import io.dedup.store.redis.RedisDedupStoreBuilder;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.core.env.Environment;

/**
 * Where Redis is as Spring Boot knows it: {@code spring.data.redis}, Docker Compose, Testcontainers. The connections are the
 * store's own, since it has to fail fast and needs one for its heartbeat.
 */
final class RedisConnection {
    private static final String URL = "spring.data.redis.url";

    private final RedisServers servers;
    private final RedisCredentialsProvider credentials;
    private final boolean ssl;

    private RedisConnection(RedisServers servers, RedisCredentialsProvider credentials, Environment environment) {
        this.servers = servers;
        this.credentials = credentials;
        // A rediss:// URL without a bundle means TLS, too, but what Spring Boot knows doesn't contain it.
        this.ssl = servers.sslBundle() != null
                || (servers.ofProperties() && environment.getProperty(URL, "").startsWith("rediss:"));
    }

    /** Returns false if Spring Boot has no Redis configured. */
    static boolean connect(RedisDedupStoreBuilder builder, ConfigurableListableBeanFactory beans, CloseOrder order) {
        BootRedis redis = beans.getBeanProvider(BootRedis.class).getIfAvailable();
        RedisServers servers = redis == null ? null : redis.servers();
        if (redis == null || servers == null) {
            return false;
        }
        order.closeAfterStores(servers.details());
        RedisCredentialsProvider credentials = beans.getBeanProvider(RedisCredentialsProvider.class)
                .getIfAvailable(() -> RedisCredentialsProvider.from(() -> present(redis, servers)));
        new RedisConnection(servers, credentials, beans.getBean(Environment.class)).connect(builder);
        return true;
    }

    /** Asked with each connection: passwords are changed while the application runs. */
    private static RedisCredentials present(BootRedis redis, RedisServers atStart) {
        RedisServers now = redis.servers();
        RedisServers servers = now == null ? atStart : now;
        return RedisCredentials.just(servers.username(), servers.password());
    }

    private void connect(RedisDedupStoreBuilder builder) {
        SslBundle bundle = servers.sslBundle();
        if (bundle != null) {
            builder.sslOptions(sslOptions(bundle));
        }
        if (servers.cluster() != null) {
            builder.clusterUris(nodes(servers.cluster()));
            return;
        }
        Sentinel sentinel = servers.sentinel();
        if (sentinel != null) {
            builder.uri(sentinel(sentinel));
            return;
        }
        Standalone standalone = servers.standalone();
        if (standalone == null) {
            throw new DedupConfigurationException(
                    "spring.data.redis.masterreplica is not supported: records must be read from the master only.",
                    "Configure spring.data.redis.host, spring.data.redis.sentinel or spring.data.redis.cluster. Or set"
                            + " dedup.redis.url.");
        }
        builder.uri(server(standalone.host(), standalone.port(), standalone.database()));
    }

    private List<RedisURI> nodes(List<Node> nodes) {
        return nodes.stream().map(node -> server(node.host(), node.port(), 0)).toList();
    }

    private RedisURI server(String host, int port, int database) {
        RedisURI uri = RedisURI.builder().withHost(host).withPort(port).build();
        uri.setDatabase(database);
        secure(uri, servers.password() == null ? null : credentials);
        return uri;
    }

    private RedisURI sentinel(Sentinel sentinel) {
        RedisURI.Builder builder = RedisURI.builder().withSentinelMasterId(sentinel.master());
        for (Node node : sentinel.nodes()) {
            RedisURI each = RedisURI.builder()
                    .withHost(node.host())
                    .withPort(node.port())
                    .build();
            RedisCredentials own = RedisCredentials.just(sentinel.username(), sentinel.password());
            secure(each, sentinel.password() == null ? null : RedisCredentialsProvider.from(() -> own));
            builder.withSentinel(each);
        }
        RedisURI uri = builder.build();
        uri.setDatabase(sentinel.database());
        secure(uri, servers.password() == null ? null : credentials);
        return uri;
    }

    private void secure(RedisURI uri, @Nullable RedisCredentialsProvider provider) {
        if (provider != null) {
            uri.setCredentialsProvider(provider);
        }
        uri.setSsl(ssl);
    }

    private static SslOptions sslOptions(SslBundle bundle) {
        SslOptions.Builder options = SslOptions.builder()
                .keyManager(bundle.getManagers().getKeyManagerFactory())
                .trustManager(bundle.getManagers().getTrustManagerFactory());
        String[] ciphers = bundle.getOptions().getCiphers();
        if (ciphers != null) {
            options.cipherSuites(ciphers);
        }
        String[] protocols = bundle.getOptions().getEnabledProtocols();
        if (protocols != null) {
            options.protocols(protocols);
        }
        return options.build();
    }
}
