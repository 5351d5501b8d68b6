package io.dedup.spring.boot.internal.store;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.store.redis.RedisDedupStoreBuilder;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Sentinel;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.core.env.Environment;

/**
 * Where Redis is as Spring Boot knows it: {@code spring.data.redis}, Docker Compose, Testcontainers. The connections are the
 * store's own, since it has to fail fast and needs one for its heartbeat.
 */
final class RedisConnection {
    private static final String URL = "spring.data.redis.url";

    private final DataRedisConnectionDetails details;
    private final boolean ssl;

    private RedisConnection(DataRedisConnectionDetails details, Environment environment) {
        this.details = details;
        // A rediss:// URL without a bundle means TLS, too, but the details don't contain it.
        boolean byProperties = !environment.getProperty(URL, "").isEmpty()
                && details.getClass()
                        .getName()
                        .startsWith("org.springframework.boot.data.redis.autoconfigure.Properties");
        this.ssl = details.getSslBundle() != null
                || (byProperties && environment.getProperty(URL, "").startsWith("rediss:"));
    }

    /** Returns false if Spring Boot has no Redis configured. */
    static boolean connect(RedisDedupStoreBuilder builder, ConfigurableListableBeanFactory beans, CloseOrder order) {
        DataRedisConnectionDetails details =
                beans.getBeanProvider(DataRedisConnectionDetails.class).getIfAvailable();
        if (details == null) {
            return false;
        }
        order.closeAfterStores(details);
        new RedisConnection(details, beans.getBean(Environment.class)).connect(builder);
        return true;
    }

    private void connect(RedisDedupStoreBuilder builder) {
        SslBundle bundle = details.getSslBundle();
        if (bundle != null) {
            builder.sslOptions(sslOptions(bundle));
        }
        if (details.getCluster() != null) {
            builder.clusterUris(nodes(details.getCluster().getNodes()));
            return;
        }
        Sentinel sentinel = details.getSentinel();
        if (sentinel != null) {
            builder.uri(sentinel(sentinel));
            return;
        }
        Standalone standalone = details.getStandalone();
        if (standalone == null) {
            throw new DedupConfigurationException(
                    "spring.data.redis.masterreplica is not supported: records must be read from the master only.",
                    "Configure spring.data.redis.host, spring.data.redis.sentinel or spring.data.redis.cluster. Or set"
                            + " dedup.redis.url.");
        }
        builder.uri(server(standalone.getHost(), standalone.getPort(), standalone.getDatabase()));
    }

    private List<RedisURI> nodes(List<Node> nodes) {
        return nodes.stream().map(node -> server(node.host(), node.port(), 0)).toList();
    }

    private RedisURI server(String host, int port, int database) {
        RedisURI uri = RedisURI.builder().withHost(host).withPort(port).build();
        uri.setDatabase(database);
        secure(uri, details.getUsername(), details.getPassword());
        return uri;
    }

    private RedisURI sentinel(Sentinel sentinel) {
        RedisURI.Builder builder = RedisURI.builder().withSentinelMasterId(sentinel.getMaster());
        for (Node node : sentinel.getNodes()) {
            RedisURI each = RedisURI.builder()
                    .withHost(node.host())
                    .withPort(node.port())
                    .build();
            secure(each, sentinel.getUsername(), sentinel.getPassword());
            builder.withSentinel(each);
        }
        RedisURI uri = builder.build();
        uri.setDatabase(sentinel.getDatabase());
        secure(uri, details.getUsername(), details.getPassword());
        return uri;
    }

    private void secure(RedisURI uri, @Nullable String user, @Nullable String password) {
        if (password != null) {
            RedisCredentials credentials = RedisCredentials.just(user, password);
            uri.setCredentialsProvider(RedisCredentialsProvider.from(() -> credentials));
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
