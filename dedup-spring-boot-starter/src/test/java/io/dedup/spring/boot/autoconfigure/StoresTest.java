package io.dedup.spring.boot.autoconfigure;

import static io.dedup.spring.boot.autoconfigure.ConfigurationTest.analysis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupOutcome;
import io.dedup.DedupScope;
import io.dedup.DedupStoreException;
import io.dedup.Deduplicator;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import io.dedup.spring.boot.Logs;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.store.DedupStores;
import io.dedup.store.DedupStore;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.listener.DefaultErrorHandler;

/** Stores of what the context has. */
class StoresTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    SslAutoConfiguration.class,
                    KafkaAutoConfiguration.class,
                    DedupAutoConfiguration.class,
                    KafkaDedupAutoConfiguration.class))
            .withUserConfiguration(Listener.class)
            .withPropertyValues(
                    "spring.kafka.listener.auto-startup=false",
                    "dedup.checks.broker=false",
                    "dedup.topics.orders.id=key");

    private final ApplicationContextRunner withDatabase = runner.withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
            .withPropertyValues("spring.datasource.generate-unique-name=true", "dedup.store=jdbc");

    private final ApplicationContextRunner withRedis = runner.withConfiguration(
                    AutoConfigurations.of(DataRedisAutoConfiguration.class))
            .withPropertyValues("dedup.store=redis", "dedup.redis.command-timeout=20s"); // a busy machine

    @Test
    void whatAStoreWarnsOfFailsAStrictStart() {
        try (RedisServer evicting =
                RedisServers.builder().config("maxmemory-policy", "allkeys-lru").start()) {
            ApplicationContextRunner onEvicting = withRedis.withPropertyValues("dedup.redis.url=" + evicting.uri());
            onEvicting.run(context -> assertThat(context).hasNotFailed());
            onEvicting
                    .withPropertyValues("dedup.strict=true")
                    .run(context -> assertThat(
                                    analysis(context.getStartupFailure()).getDescription())
                            .contains(
                                    "The deduplication store is not safe to use",
                                    "maxmemory-policy allkeys-lru",
                                    "Set maxmemory-policy to noeviction"));
            evicting.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
            onEvicting
                    .withPropertyValues("dedup.strict=true")
                    .run(context -> assertThat(context).hasNotFailed());
        }
    }

    @Test
    void packedRecordsInRedis() {
        ApplicationContextRunner packed = withRedis.withPropertyValues(
                "dedup.redis.url=" + RedisServers.shared().uri(), "dedup.redis.namespace=packed-by-properties");
        packed.withConfiguration(AutoConfigurations.of(DedupMetricsAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .withPropertyValues("dedup.redis.packed.expected-ids=1000")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    DedupStore store = context.getBean(DedupStores.class).store();
                    DedupKey key = DedupScope.of("billing", "orders").key("packed");
                    var unused = store.forceDone(key, Window.of(Duration.ofDays(7)), LiveLease.RESPECT);
                    assertThat(store.find(key)).isPresent();
                    assertThat(RedisServers.shared().command("KEYS", "packed-by-properties{?*}#*"))
                            .isNotEmpty();
                    assertThat(context.getBean(SimpleMeterRegistry.class)
                                    .get("dedup.redis.buckets.overgrown")
                                    .functionCounter()
                                    .count())
                            .isZero();
                });
        packed.withPropertyValues("dedup.redis.packed.expected-ids=1000", "dedup.redis.packed.write=false")
                .run(context -> assertThat(context).hasNotFailed());
        packed.run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                .contains("Set dedup.redis.packed.expected-ids 1000"));
        packed.withPropertyValues("dedup.redis.packed.expected-ids=0")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("packed must expect from 1"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Listener {
        @KafkaListener(id = "billing", topics = "orders")
        void orders(String order) {}

        @Bean
        DefaultErrorHandler errorHandler() {
            return new DefaultErrorHandler((record, e) -> {}); // a strict start wants a place for rejected messages
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoManagers {
        @Bean
        JdbcTransactionManager first(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        JdbcTransactionManager second() {
            return new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:other"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ServiceConnection {
        @Bean
        DataRedisConnectionDetails details() {
            return new DataRedisConnectionDetails() {
                @Override
                public Standalone getStandalone() {
                    return Standalone.of(
                            RedisServers.shared().host(), RedisServers.shared().port(), 3);
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnStore {
        @Bean
        DedupStore store() {
            return new InMemoryDedupStore();
        }
    }

    @Test
    void theApplicationsDataSource() {
        withDatabase.run(context -> {
            assertThat(context.getBean(DedupStores.class).store().name()).isEqualTo("jdbc");
            assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                            .queryForObject("SELECT count(*) FROM dedup_record", Integer.class))
                    .isZero();
        });
    }

    /** By the tenant of the thread, say. */
    private static DataSource routing() {
        DataSource one = new DriverManagerDataSource("jdbc:h2:mem:routed;DB_CLOSE_DELAY=-1");
        AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
            @Override
            protected Object determineCurrentLookupKey() {
                return "one";
            }
        };
        routing.setTargetDataSources(Map.of("one", one));
        routing.afterPropertiesSet();
        return routing;
    }

    @Configuration(proxyBeanMethods = false)
    static class Routed {
        @Bean
        DataSource dataSource() {
            return routing();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WrappedRouted {
        @Bean
        DataSource dataSource() {
            return new LazyConnectionDataSourceProxy(new DelegatingDataSource(routing()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ProxiedRouted {
        @Bean
        DataSource dataSource() {
            return (DataSource) new ProxyFactory(routing()).getProxy();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Routed.class, WrappedRouted.class, ProxiedRouted.class})
    @DisplayName("a DataSource that chooses a database for each connection is warned of, and with dedup.strict refused")
    void routingDataSource(Class<?> routed) {
        ApplicationContextRunner onIt = withDatabase.withUserConfiguration(routed);
        try (Logs logs = new Logs()) {
            onIt.run(context -> assertThat(context).hasNotFailed());
            assertThat(logs.warnings())
                    .anySatisfy(line -> assertThat(line)
                            .contains("chooses a database for each connection", "dedup.jdbc.data-source"));
        }
        ApplicationContextRunner strict =
                onIt.withPropertyValues("dedup.strict=true", "spring.kafka.consumer.max-poll-interval=20m");
        strict.run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                .contains("chooses a database for each connection"));
        strict.withPropertyValues("dedup.checks.routing-data-source=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aTableThatIsMissing() {
        withDatabase
                .withPropertyValues("dedup.jdbc.initialize-schema=never", "dedup.jdbc.table=other_table")
                .run(context -> {
                    var analysis = analysis(context.getStartupFailure());
                    assertThat(analysis.getDescription())
                            .contains("other_table")
                            .contains("schema-h2.sql");
                    assertThat(analysis.getAction()).contains("dedup.jdbc.initialize-schema");
                });
    }

    @Test
    void aTableWithDigests() {
        ApplicationContextRunner onOne = withDatabase.withPropertyValues("spring.datasource.url=jdbc:h2:mem:digests");
        onOne.withPropertyValues("dedup.jdbc.key-format=digest").run(context -> {
            assertThat(context.getBean(DedupStores.class).store().name()).isEqualTo("jdbc");
            assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                            .queryForObject("SELECT count(key_digest) FROM dedup_record", Integer.class))
                    .isZero();
            onOne.run(plain -> {
                var analysis = analysis(plain.getStartupFailure());
                assertThat(analysis.getDescription())
                        .contains("created for digests of message IDs", "dedup.jdbc.key-format is PLAIN");
            });
        });
    }

    /** With advice about a missing table an operator looks in the wrong place. */
    @Test
    void aWrongDatabaseUserIsReportedInTheDatabasesOwnWords() {
        try (SqlDatabase database = PostgresServers.newDatabase()) {
            withDatabase
                    .withPropertyValues(
                            "spring.datasource.url=" + database.jdbcUrl(), "spring.datasource.username=nobody1")
                    .run(context -> {
                        var analysis = analysis(context.getStartupFailure());
                        assertThat(analysis.getDescription())
                                .startsWith("Cannot connect to the deduplication store: ")
                                .contains("\"nobody1\"", "SQLState 28");
                        assertThat(analysis.getAction())
                                .isEqualTo("Check spring.datasource.username and spring.datasource.password.");
                    });
        }
    }

    @Test
    void aDatabaseThatIsNotThereIsReportedInItsServersOwnWords() {
        try (SqlDatabase database = PostgresServers.newDatabase()) {
            String elsewhere = database.jdbcUrl().replaceFirst("/[^/?]+(\\?|$)", "/no_such_database$1");
            ApplicationContextRunner wrong = withDatabase.withPropertyValues(
                    "spring.datasource.username=" + database.user(),
                    "spring.datasource.password=" + database.password(),
                    "spring.datasource.hikari.connection-timeout=500");
            wrong.withPropertyValues("spring.datasource.url=" + elsewhere).run(context -> {
                var analysis = analysis(context.getStartupFailure());
                assertThat(analysis.getDescription()).contains("\"no_such_database\" does not exist", "SQLState 3D000");
                assertThat(analysis.getAction()).isEqualTo("Check the database's name in spring.datasource.url.");
            });
            wrong.withPropertyValues("spring.datasource.url=jdbc:postgresql://localhost:1/x")
                    .run(context -> {
                        var analysis = analysis(context.getStartupFailure());
                        assertThat(analysis.getDescription()).contains("Connection to localhost:1 refused");
                        assertThat(analysis.getAction())
                                .isEqualTo("Check spring.datasource.url, and that the database accepts connections.");
                    });
        }
    }

    /** As with AWS IAM or a vault: the old password ends while the application runs. */
    @Test
    void redisCredentialsAreAskedForWithEachConnection() {
        try (RedisServer guarded = RedisServers.builder().start()) {
            guarded.command("ACL", "SETUSER", "app", "on", ">first", "~*", "+@all");
            AtomicReference<String> password = new AtomicReference<>("first");
            withRedis
                    .withBean(
                            RedisCredentialsProvider.class,
                            () -> RedisCredentialsProvider.from(() -> RedisCredentials.just("app", password.get())))
                    .withPropertyValues(
                            "spring.data.redis.host=" + guarded.host(),
                            "spring.data.redis.port=" + guarded.port(),
                            "spring.data.redis.username=app",
                            "spring.data.redis.password=none of the two")
                    .run(context -> {
                        DedupStore store = context.getBean(DedupStores.class).store();
                        assertThat(store.find(key())).isEmpty();
                        guarded.command("ACL", "SETUSER", "app", "resetpass", ">second");
                        password.set("second");
                        guarded.command("CLIENT", "KILL", "USER", "app");
                        await().ignoreExceptionsInstanceOf(DedupStoreException.class)
                                .until(() -> store.find(key()).isEmpty());
                    });
        }
    }

    private static DedupKey key() {
        return DedupKey.of(DedupScope.of("billing", "payments"), "p-1");
    }

    @Test
    void aWrongRedisUserIsReportedInRedissOwnWords() {
        try (RedisServer guarded =
                RedisServers.builder().config("requirepass", "right").start()) {
            withRedis
                    .withPropertyValues(
                            "spring.data.redis.host=" + guarded.host(),
                            "spring.data.redis.port=" + guarded.port(),
                            "spring.data.redis.password=wrong")
                    .run(context -> {
                        var analysis = analysis(context.getStartupFailure());
                        assertThat(analysis.getDescription())
                                .contains("WRONGPASS")
                                .doesNotContain("right");
                        assertThat(analysis.getAction())
                                .isEqualTo("Check spring.data.redis.username and spring.data.redis.password.");
                    });
            withRedis
                    .withPropertyValues("dedup.redis.url=redis://" + guarded.host() + ":" + guarded.port())
                    .run(context -> {
                        var analysis = analysis(context.getStartupFailure());
                        assertThat(analysis.getDescription()).contains("NOAUTH");
                        assertThat(analysis.getAction()).isEqualTo("Check user and password in dedup.redis.url.");
                    });
        }
    }

    @Test
    void transactionsOfTheApplicationsManager() {
        withDatabase
                .withPropertyValues("dedup.topics.orders.mode=leased-transactional")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void severalManagersNeedAName() {
        ApplicationContextRunner two = withDatabase
                .withUserConfiguration(TwoManagers.class)
                .withPropertyValues("dedup.topics.orders.mode=transactional");
        two.run(context -> {
            var analysis = analysis(context.getStartupFailure());
            assertThat(analysis.getDescription()).contains("several PlatformTransactionManager beans: [first, second]");
            assertThat(analysis.getAction()).contains("dedup.jdbc.transaction-manager");
        });
        two.withPropertyValues("dedup.jdbc.transaction-manager=first")
                .run(context -> assertThat(context).hasNotFailed());
        two.withPropertyValues("dedup.jdbc.transaction-manager=second")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getAction())
                        .contains("on the DataSource of the table"));
        two.withPropertyValues("dedup.jdbc.transaction-manager=third")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("dedup.jdbc.transaction-manager is third"));
    }

    @Test
    void redisAsSpringBootKnowsIt() {
        withRedis
                .withPropertyValues(
                        "spring.data.redis.host=" + RedisServers.shared().host(),
                        "spring.data.redis.port=" + RedisServers.shared().port())
                .run(context -> assertThat(
                                context.getBean(DedupStores.class).store().name())
                        .isEqualTo("redis"));
        withRedis
                .withUserConfiguration(ServiceConnection.class)
                .run(context -> context.getBean(DedupStores.class).store().ping());
    }

    @Test
    void redisThatIsNotThere() {
        withRedis.withPropertyValues("dedup.redis.url=redis://localhost:1").run(context -> {
            var analysis = analysis(context.getStartupFailure());
            assertThat(analysis.getDescription()).contains("localhost:1");
            assertThat(analysis.getAction()).contains("dedup.redis.url");
        });
        runner.withPropertyValues("dedup.store=redis")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("no Redis server is configured"));
    }

    /** A server that speaks no TLS: the store must not fall back to speaking none. */
    @Test
    void redisByABundleOrARedissUrlIsTls() {
        String address =
                RedisServers.shared().host() + ":" + RedisServers.shared().port();
        withRedis
                .withPropertyValues("spring.data.redis.url=rediss://" + address)
                .run(context -> assertThat(context).hasFailed());
        withRedis
                .withPropertyValues(
                        "spring.data.redis.host=" + RedisServers.shared().host(),
                        "spring.data.redis.port=" + RedisServers.shared().port(),
                        "spring.data.redis.ssl.enabled=true")
                .run(context -> assertThat(context).hasFailed());
    }

    @Test
    void theStoreIsAskedForWhereTheClassPathHasTwo() {
        runner.run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                .contains("dedup.store isn't set")
                .contains("both"));
    }

    @Test
    void aStoreOfTheApplications() {
        runner.withUserConfiguration(OwnStore.class)
                .run(context -> assertThat(context.getBean(DedupStores.class).store())
                        .isSameAs(context.getBean(DedupStore.class)));
    }

    @Test
    @DisplayName(
            "dedup.store: redis with nothing but transactional topics is refused: Redis would have nothing to keep")
    void aStoreThatNothingUses() {
        withDatabase
                .withPropertyValues(
                        "dedup.store=redis",
                        "dedup.redis.url=" + RedisServers.shared().uri(),
                        "dedup.topics.orders.mode=transactional")
                .run(context -> {
                    var analysis = analysis(context.getStartupFailure());
                    assertThat(analysis.getDescription())
                            .contains("dedup.store is redis, but nothing would be kept there")
                            .contains("topics [orders] have mode transactional");
                    assertThat(analysis.getAction())
                            .contains("dedup.store: jdbc")
                            .contains("dedup.store: tiered");
                });
    }

    @Test
    @DisplayName("dedup.store: redis beside transactional topics: the log says that their records are in the table")
    void aTableBesideTheStore() {
        try (Logs logs = new Logs()) {
            withDatabase
                    .withPropertyValues(
                            "dedup.strict=true",
                            "dedup.checks.refuse-unused=true",
                            "dedup.store=redis",
                            "dedup.redis.url=" + RedisServers.shared().uri(),
                            "dedup.topics.orders.mode=transactional",
                            "dedup.listeners.clicks.id=key",
                            "dedup.listeners.clicks.mode=leased")
                    .withUserConfiguration(Clicks.class)
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(logs.messages())
                    .anySatisfy(
                            line -> assertThat(line)
                                    .contains(
                                            "dedup.store is redis, but the records of [orders] are kept in table dedup_record"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Clicks {
        @KafkaListener(id = "clicks", topics = "clicks")
        void clicks(String click) {}
    }

    @Test
    void modesThatTheStoreDoesNotHave() {
        withDatabase
                .withPropertyValues("dedup.topics.orders.mode=tiered")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getAction())
                        .contains("dedup.store: jdbc supports leased"));
    }

    @Test
    @DisplayName(
            "dedup.store: tiered where every topic is leased: no table is opened, so another instance has to forget in it")
    void whoForgetsInBothStores() {
        SqlDatabase database = PostgresServers.newDatabase();
        ApplicationContextRunner tiered = withDatabase.withPropertyValues(
                "spring.datasource.url=" + database.jdbcUrl(),
                "spring.datasource.username=" + database.user(),
                "spring.datasource.password=" + database.password(),
                "dedup.jdbc.initialize-schema=always",
                "dedup.store=tiered",
                "dedup.redis.url=" + RedisServers.shared().uri(),
                "dedup.redis.namespace=who-forgets-" + UUID.randomUUID(),
                "dedup.redis.command-timeout=20s");
        tiered.run(newer -> tiered.withPropertyValues("dedup.topics.orders.mode=leased")
                .run(older -> {
                    Deduplicator inBoth = deduplicator(newer);
                    Deduplicator inRedis = deduplicator(older);
                    DedupKey key = inBoth.key("orders", "a");
                    assertThat(inBoth.execute(key, context -> "done")).isInstanceOf(DedupOutcome.Handled.class);

                    assertThat(inRedis.forget(key, LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
                    assertThat(older.getBean(DedupStores.class).tableOrNull()).isNull();
                    assertThat(inBoth.execute(key, context -> "again"))
                            .as("why docs/recipes/handle-again.md says which instance to ask")
                            .isInstanceOf(DedupOutcome.Duplicate.class);

                    assertThat(inBoth.forget(key, LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
                    assertThat(inRedis.execute(key, context -> "again")).isInstanceOf(DedupOutcome.Handled.class);
                    assertThat(inBoth.forget(key, LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
                    assertThat(inBoth.execute(key, context -> "again")).isInstanceOf(DedupOutcome.Handled.class);
                }));
    }

    private static Deduplicator deduplicator(ApplicationContext context) {
        return context.getBean(DeduplicatorRegistry.class)
                .deduplicators()
                .get(0)
                .deduplicator();
    }
}
