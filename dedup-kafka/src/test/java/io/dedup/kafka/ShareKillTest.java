package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.policy.DedupMode;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.testservers.process.ChildJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.kafka.core.DefaultShareConsumerFactory;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.ShareAckMode;
import org.springframework.kafka.listener.MessageListener;

/** Consumers of share groups that die, or hang, in a handler: another one gets the message. */
class ShareKillTest {
    /** Another JVM has to start beside the tests that run at the same time, on two cores. */
    private static final Duration STARTED = Duration.ofMinutes(5);

    private static final DedupMode[] MODES = {DedupMode.LEASED, DedupMode.LEASED_TRANSACTIONAL, DedupMode.TRANSACTIONAL
    };

    private final List<String> output = new CopyOnWriteArrayList<>();

    /**
     * The process that is killed: hangs in the handler of each mode's message, with the effect written and its transaction
     * open, where there is one. Arguments: bootstrap servers, JDBC URL, user, password; then topic and group for each mode.
     */
    static final class Victim {
        private Victim() {}

        @SuppressWarnings("resource") // ends with the process
        public static void main(String[] args) throws InterruptedException {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(args[1]);
            config.setUsername(args[2]);
            config.setPassword(args[3]);
            HikariDataSource pool = new HikariDataSource(config);
            JdbcTemplate jdbc = new JdbcTemplate(pool);
            JdbcDedupStore table =
                    JdbcDedupStore.builder(pool).purgeInterval(null).build();
            for (int i = 0; i < MODES.length; i++) {
                DedupMode mode = MODES[i];
                String topic = args[4 + 2 * i];
                String group = args[5 + 2 * i];
                Deduplicator dedup = Deduplicators.builder(table)
                        .transactions(table.transactions(new JdbcTransactionManager(pool)))
                        .consumer(group)
                        .topic(topic, policy -> policy.mode(mode).lease(Duration.ofSeconds(2)))
                        .build();
                ContainerProperties properties = new ContainerProperties(topic);
                properties.setShareAckMode(ShareAckMode.EXPLICIT);
                properties.setMessageListener((MessageListener<String, String>) record -> {
                    jdbc.update("INSERT INTO effect (id) VALUES (?)", effect(mode, record));
                    System.out.println("HANGS " + mode);
                    Uninterrupted.await(new CountDownLatch(1));
                });
                var consumers = new DefaultShareConsumerFactory<>(
                        Map.of("bootstrap.servers", args[0], "group.id", group),
                        new StringDeserializer(),
                        new StringDeserializer(),
                        true);
                var container = KafkaDedup.builder(dedup)
                        .id(KafkaMessageIds.header("id"))
                        .build()
                        .shareGroups()
                        .container(consumers, properties);
                container.setBeanName(mode.name());
                container.start();
            }
            new CountDownLatch(1).await(); // until it is killed
        }
    }

    private static String effect(DedupMode mode, ConsumerRecord<?, ?> record) {
        return mode + " " + Scene.id(record);
    }

    @Test
    @DisplayName("K14 S12 kill -9 in a handler: what was rolled back with it runs again elsewhere, nothing is lost")
    void killed() throws Exception {
        List<ShareScene> groups = new ArrayList<>();
        try (Ledger ledger = Ledger.postgres()) {
            List<String> arguments = new ArrayList<>(
                    List.of("", ledger.database.jdbcUrl(), ledger.database.user(), ledger.database.password()));
            for (DedupMode mode : MODES) {
                ShareScene group = new ShareScene(ledger.scene(mode));
                groups.add(group);
                group.scene.send("a");
                arguments.set(0, group.scene.bootstrap);
                arguments.add(group.scene.topic);
                arguments.add(group.scene.group);
            }
            Process victim = ChildJvm.start(Victim.class, arguments.toArray(String[]::new));
            try {
                Thread reader = new Thread(() -> victim.inputReader().lines().forEach(output::add));
                reader.setDaemon(true);
                reader.start();
                await().atMost(STARTED)
                        .until(() -> output.stream()
                                        .filter(line -> line.startsWith("HANGS"))
                                        .count()
                                == MODES.length);
            } finally {
                victim.destroyForcibly().waitFor();
            }
            for (int i = 0; i < MODES.length; i++) {
                DedupMode mode = MODES[i];
                ShareScene group = groups.get(i);
                group.scene.send("a"); // and the producer sends it again
                group.start(group.container(ShareAckMode.EXPLICIT, (MessageListener<String, String>)
                        record -> ledger.effect(effect(mode, record))));
            }
            groups.forEach(ShareScene::awaitSettled);
            assertThat(ledger.effects())
                    .containsExactly(
                            "LEASED a", // without a transaction the dead process's effect is there to stay
                            "LEASED a",
                            "LEASED_TRANSACTIONAL a",
                            "TRANSACTIONAL a");
        } finally {
            groups.forEach(ShareScene::close);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DedupMode.class,
            names = {"LEASED", "LEASED_TRANSACTIONAL", "TRANSACTIONAL"})
    @DisplayName(
            "K12 K14 a handler past maxProcessingTime and past its lock: another consumer gets the message; in a transaction it"
                    + " takes effect once")
    void overrun(DedupMode mode) {
        CountDownLatch enough = new CountDownLatch(1);
        try (Ledger ledger = Ledger.postgres();
                ShareScene group = new ShareScene(ledger.scene(
                        mode,
                        1,
                        policy -> policy.lease(Duration.ofMillis(600)).maxProcessingTime(Duration.ofSeconds(1))))) {
            group.scene.send("hangs", "b");
            group.start(group.container(ShareAckMode.EXPLICIT, (MessageListener<String, String>) record -> {
                ledger.effect(Scene.id(record));
                if (Scene.id(record).equals("hangs")) {
                    group.scene.events.add("hangs");
                    Uninterrupted.await(enough);
                }
            }));
            await().until(() -> group.scene.events.contains("hangs"));
            List<String> elsewhere = new CopyOnWriteArrayList<>();
            group.start(group.elsewhere(ShareAckMode.EXPLICIT, (MessageListener<String, String>) record -> {
                ledger.effect(Scene.id(record));
                elsewhere.add(Scene.id(record));
            }));
            // Whatever the mode, what waits behind it goes on elsewhere, also if it wasn't fetched with it.
            await().until(() -> elsewhere.contains("b"));
            if (mode != DedupMode.TRANSACTIONAL) { // there the database has it until that transaction ends
                await().until(() -> elsewhere.contains("hangs"));
            }
            enough.countDown();
            group.awaitSettled();
            group.scene.send("hangs", "b", "c"); // the one that hung goes on, too
            group.awaitSettled();
            assertThat(ledger.effects())
                    .containsExactlyElementsOf(
                            mode == DedupMode.LEASED
                                    ? List.of("b", "c", "hangs", "hangs")
                                    : List.of("b", "c", "hangs"));
        } finally {
            enough.countDown();
        }
    }
}
