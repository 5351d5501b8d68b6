package io.dedup.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.dedup.DedupContext;
import io.dedup.DedupKey;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.Deduplicator;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.store.DedupStores;
import io.dedup.store.StoredRecord.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** Stores in containers that the application has as {@code @ServiceConnection} beans; skipped where there is no Docker. */
@DisabledIfSystemProperty(named = "dedup.test.containers", matches = "false")
class ServiceConnectionTest {
    private static final String REDIS = System.getProperty("dedup.test.redis.image", "redis:7.4");
    private static final String POSTGRES = System.getProperty("dedup.test.postgres.image", "postgres:18");
    private static final long PULL_SECONDS = 60;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {
        @Bean
        @ServiceConnection(name = "redis")
        static GenericContainer<?> redis() {
            return new GenericContainer<>(REDIS)
                    .withExposedPorts(6379)
                    .waitingFor(Wait.forLogMessage(".*Ready to accept connections.*\\n", 1));
        }

        @Bean
        @ServiceConnection
        static PostgreSQLContainer postgres() {
            return new PostgreSQLContainer(POSTGRES);
        }

        @KafkaListener(id = "billing", topics = "orders", autoStartup = "false")
        void order(String order) {}
    }

    /** Looked at before anything is asked: where there is no Docker, Testcontainers takes seconds to say so. */
    @BeforeEach
    void dockerAnswersAndHasTheImages() {
        boolean mayBeThere = System.getenv("DOCKER_HOST") != null || Files.exists(Path.of("/var/run/docker.sock"));
        assumeTrue(mayBeThere && DockerClientFactory.instance().isDockerAvailable(), "no Docker answers");
        assumeTrue(isThere(REDIS) || canBePulled(REDIS), "no image " + REDIS);
        assumeTrue(isThere(POSTGRES) || canBePulled(POSTGRES), "no image " + POSTGRES);
    }

    private static boolean isThere(String image) {
        try {
            DockerClientFactory.lazyClient().inspectImageCmd(image).exec();
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    private static boolean canBePulled(String image) {
        try {
            return DockerClientFactory.lazyClient()
                    .pullImageCmd(image)
                    .start()
                    .awaitCompletion(PULL_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (RuntimeException e) {
            return false;
        }
    }

    @Test
    void theStoresAreInTheContainers() throws IOException, InterruptedException {
        try (ConfigurableApplicationContext context = new SpringApplication(App.class)
                .run(
                        "--spring.main.web-application-type=none",
                        "--spring.kafka.bootstrap-servers=localhost:1",
                        "--dedup.checks.broker=false",
                        "--dedup.store=tiered",
                        "--dedup.redis.namespace=container",
                        "--dedup.jdbc.initialize-schema=always",
                        "--dedup.topics.orders.id=key")) {
            Deduplicator deduplicator = context.getBean(DeduplicatorRegistry.class)
                    .deduplicators()
                    .get(0)
                    .deduplicator();
            DedupKey key = deduplicator.key("orders", "a");
            assertThat(deduplicator.execute(key, (DedupContext run) -> "effect"))
                    .isInstanceOf(Handled.class);
            assertThat(deduplicator.execute(key, (DedupContext run) -> "effect"))
                    .isInstanceOf(Duplicate.class);

            assertThat(context.getBean(DedupStores.class).store().find(key))
                    .hasValueSatisfying(record -> assertThat(record.state()).isEqualTo(State.DONE));
            assertThat(context.getBean("redis", GenericContainer.class)
                            .execInContainer("redis-cli", "keys", "*container*")
                            .getStdout())
                    .contains("orders");
            PostgreSQLContainer postgres = context.getBean(PostgreSQLContainer.class);
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            assertThat(jdbc.queryForObject("SELECT current_database()", String.class))
                    .isEqualTo(postgres.getDatabaseName());
            assertThat(jdbc.queryForObject("SELECT count(*) FROM dedup_record", Integer.class))
                    .isEqualTo(1);
        }
    }
}
