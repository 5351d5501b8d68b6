package io.dedup.spring.boot.autoconfigure;

import static io.dedup.spring.boot.autoconfigure.ConfigurationTest.analysis;
import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.store.DedupStores;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.testservers.redis.RedisAddress;
import io.dedup.testservers.redis.RedisServers;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Redis behind real TLS, by Spring Boot's SSL bundles and by a URL. */
class RedisTlsTest {
    private static final RedisAddress REDIS = RedisServers.shared();

    @TempDir
    private static Path directory;

    private static Path localhost;
    private static Path elsewhere;
    private static Path client;

    @BeforeAll
    static void keys() {
        localhost = TlsProxy.keyStore(directory, "localhost", "dns:localhost");
        elsewhere = TlsProxy.keyStore(directory, "elsewhere", "dns:redis.example.com");
        client = TlsProxy.keyStore(directory, "client", "dns:client.example.com");
    }

    private static TlsProxy before(Path keyStore) {
        return TlsProxy.before(REDIS.host(), REDIS.port(), keyStore);
    }

    private static ApplicationContextRunner runner(String... properties) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        SslAutoConfiguration.class, DataRedisAutoConfiguration.class, DedupAutoConfiguration.class))
                .withPropertyValues("dedup.store=redis", "dedup.redis.command-timeout=20s") // a busy machine
                .withPropertyValues("dedup.redis.namespace=tls-" + UUID.randomUUID())
                .withPropertyValues(properties);
    }

    /** An application whose bundle trusts what a key store's owner has signed. */
    private static ApplicationContextRunner trusting(TlsProxy proxy, Path keyStore, String alias) {
        return runner(
                "spring.data.redis.host=localhost",
                "spring.data.redis.port=" + proxy.port(),
                "spring.data.redis.ssl.bundle=redis",
                "spring.ssl.bundle.jks.redis.truststore.location=file:" + TlsProxy.trusting(keyStore, alias),
                "spring.ssl.bundle.jks.redis.truststore.password=" + TlsProxy.PASSWORD);
    }

    private static void works(ApplicationContextRunner application) {
        application.run(context -> {
            DedupStore store = context.getBean(DedupStores.class).store();
            DedupKey key = DedupKey.of(DedupScope.of("billing", "orders"), "a");
            assertThat(store.claim(List.of(new ClaimRequest(key, new Owner("me"), Duration.ofSeconds(30))))
                            .get(0))
                    .isInstanceOf(ClaimResult.Acquired.class);
        });
    }

    private static void isRefused(ApplicationContextRunner application, TlsProxy proxy, String why) {
        application.run(context -> {
            try {
                context.getBean(DedupStores.class).store();
            } catch (DedupConfigurationException e) {
                assertThat(analysis(e).getDescription())
                        .contains("localhost")
                        .contains(String.valueOf(proxy.port()))
                        .contains(why);
                return;
            }
            throw new AssertionError("connected to a server that isn't to be trusted");
        });
    }

    @Test
    void byABundle() throws IOException {
        try (TlsProxy proxy = before(localhost)) {
            works(trusting(proxy, localhost, "localhost"));
            assertThat(proxy.handshakes()).isPositive();
        }
    }

    @Test
    @DisplayName("a server that the bundle doesn't trust is refused")
    void foreignCertificate() throws IOException {
        try (TlsProxy proxy = before(localhost)) {
            isRefused(trusting(proxy, elsewhere, "elsewhere"), proxy, "unable to find valid certification path");
        }
    }

    @Test
    @DisplayName("a certificate of another host is refused, although it is trusted")
    void otherHost() throws IOException {
        try (TlsProxy proxy = before(elsewhere)) {
            isRefused(trusting(proxy, elsewhere, "elsewhere"), proxy, "No subject alternative DNS name matching");
        }
    }

    @Test
    @DisplayName("a server that asks who we are gets the bundle's key")
    void bothSides() throws IOException {
        try (TlsProxy proxy =
                TlsProxy.before(REDIS.host(), REDIS.port(), localhost, TlsProxy.trusting(client, "client"))) {
            ApplicationContextRunner application = trusting(proxy, localhost, "localhost");
            isRefused(application, proxy, "");
            works(application.withPropertyValues(
                    "spring.ssl.bundle.jks.redis.keystore.location=file:" + client,
                    "spring.ssl.bundle.jks.redis.keystore.password=" + TlsProxy.PASSWORD));
        }
    }

    @Test
    @DisplayName("a rediss:// URL trusts what the JVM trusts, and checks what the URL says")
    void byUrl() throws IOException {
        try (TlsProxy proxy = before(elsewhere)) {
            String url = "rediss://localhost:" + proxy.port();
            isRefused(runner("dedup.redis.url=" + url), proxy, "unable to find valid certification path");
            isRefused(runner("spring.data.redis.url=" + url), proxy, "unable to find valid certification path");
            works(runner("dedup.redis.url=" + url + "?verifyPeer=NONE"));
        }
    }
}
