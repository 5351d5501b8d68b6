package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.sql.MariaDbServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;

/** The same flow on each store: two consumers, resent messages, then a replay of everything. */
class RealStoresTest {
    private static final int PARTITIONS = 3;
    private static final int MESSAGES = 120;

    private final List<AutoCloseable> pools = new ArrayList<>();

    enum Server {
        REDIS,
        POSTGRESQL,
        MARIADB,
        H2
    }

    private DedupStore store(Server server) {
        return switch (server) {
            case REDIS ->
                RedisDedupStore.builder()
                        .uri(RedisServers.shared().uri())
                        .commandTimeout(Scene.COLD_CLIENT)
                        .build();
            case POSTGRESQL -> jdbc(PostgresServers.newDatabase());
            case MARIADB -> jdbc(MariaDbServers.newDatabase());
            case H2 -> jdbc("jdbc:h2:mem:" + UUID.randomUUID() + ";LOCK_TIMEOUT=1000", "sa", "");
        };
    }

    private DedupStore jdbc(SqlDatabase database) {
        return jdbc(database.jdbcUrl(), database.user(), database.password());
    }

    private DedupStore jdbc(String url, String user, String password) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setPassword(password);
        HikariDataSource pool = new HikariDataSource(config);
        pools.add(pool);
        return JdbcDedupStore.builder(pool)
                .initializeSchema(InitializeSchema.ALWAYS)
                .build();
    }

    private static Object listener(Scene scene, AckMode mode) {
        return mode == AckMode.BATCH
                ? (BatchMessageListener<String, String>) records -> records.forEach(scene.effect())
                : (MessageListener<String, String>) record -> scene.effect().accept(record);
    }

    @ParameterizedTest
    @EnumSource(Server.class)
    @DisplayName("records: resent, shared by two consumers, replayed from the start: one effect each")
    void records(Server server) throws Exception {
        replayed(server, AckMode.RECORD);
    }

    @ParameterizedTest
    @EnumSource(Server.class)
    @DisplayName("batches: resent, shared by two consumers, replayed from the start: one effect each")
    void batches(Server server) throws Exception {
        replayed(server, AckMode.BATCH);
    }

    private static void consume(Scene scene, AckMode mode) {
        List<ConcurrentMessageListenerContainer<String, String>> two = List.of(
                scene.start(scene.container(mode, listener(scene, mode))),
                scene.start(scene.container(mode, listener(scene, mode))));
        scene.awaitAllCommitted();
        two.forEach(ConcurrentMessageListenerContainer::stop);
    }

    private void replayed(Server server, AckMode mode) throws Exception {
        Set<String> expected = new HashSet<>();
        try (Scene scene = new Scene(store(server), PARTITIONS, policy -> policy)) {
            for (int i = 0; i < MESSAGES; i++) {
                scene.sendTo(i % PARTITIONS, "m" + i);
                if (i % 4 == 0) {
                    scene.sendTo((i + i / 4) % PARTITIONS, "m" + i); // resent, often to another partition
                }
                expected.add("m" + i);
            }
            consume(scene, mode);
            assertThat(scene.effects).hasSize(MESSAGES).containsExactlyInAnyOrderElementsOf(expected);
            scene.events.clear();

            scene.rewind();
            consume(scene, mode);
            assertThat(scene.effects).hasSize(MESSAGES);
            assertThat(scene.events.stream().filter(event -> event.startsWith("duplicate ")))
                    .hasSizeGreaterThanOrEqualTo(MESSAGES + MESSAGES / 4);
        } finally {
            for (AutoCloseable pool : pools) {
                pool.close();
            }
        }
    }
}
