package io.dedup.kafka.plan;

import static io.dedup.testkit.plan.Fault.COPIES;
import static io.dedup.testkit.plan.Fault.KILL;
import static io.dedup.testkit.plan.Fault.REBALANCE;
import static io.dedup.testkit.plan.Fault.STORE_CUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.testkit.kafka.KafkaTraffic;
import io.dedup.testkit.plan.FaultPlan;
import io.dedup.testkit.plan.FaultReport;
import io.dedup.testkit.plan.FaultRun;
import io.dedup.testkit.plan.Traffic;
import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.redis.RedisAddress;
import io.dedup.testservers.redis.RedisServers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.MessageListener;

/** Plans on listeners that are right, and on one that isn't. */
class FaultPlanTest {
    private final String topic = "plan-" + UUID.randomUUID();

    private Traffic traffic() {
        KafkaServers.shared().createTopic(topic, 4);
        return KafkaTraffic.of(KafkaServers.shared().bootstrapServers())
                .group(topic)
                .ids(KafkaMessageIds.header("id"))
                .records(n -> {
                    ProducerRecord<String, String> record = new ProducerRecord<>(topic, "m" + n);
                    record.headers().add("id", ("m" + n).getBytes(StandardCharsets.UTF_8));
                    return record;
                })
                .build();
    }

    @DisplayName(
            "LEASED: kills, rebalances and a store that is cut off lose nothing, and doubles are told by their attempt")
    @FaultPlan(
            seed = 3,
            messages = 200,
            times = 1,
            faults = {KILL, REBALANCE, STORE_CUT, COPIES})
    void leased(FaultRun run) {
        RedisAddress redis = RedisServers.shared();
        // docs:begin leased
        FaultReport report = run.application(
                        LeasedMails.class, KafkaServers.shared().bootstrapServers(), topic, redis.uri())
                .store(redis.host(), redis.port(), port -> "redis://localhost:" + port)
                .traffic(traffic())
                .effects(() -> mails(redis).stream()
                        .map(mail -> mail.replace(" retried", ""))
                        .toList())
                .faultsLast(Duration.ofSeconds(2))
                .play();
        report.assertThat()
                .lostNothing()
                .doubledByRetriesOnly(mails(redis).stream()
                        .filter(mail -> mail.endsWith(" retried"))
                        .map(mail -> mail.replace(" retried", ""))
                        .toList());
        // docs:end
        assertThat(report.ids()).hasSize(200);
        assertThat(report.faults()).anyMatch(line -> line.contains("KILL: process"));
    }

    @DisplayName(
            "a process that is killed between two steps goes on at the next: no step is doubled, and the report counts each")
    @FaultPlan(
            seed = 12, // kills between steps only
            messages = 60,
            times = 2,
            faults = {KILL, COPIES})
    void steps(FaultRun run) {
        RedisAddress redis = RedisServers.shared();
        // docs:begin steps
        run.application(
                        LeasedMails.class,
                        KafkaServers.shared().bootstrapServers(),
                        topic,
                        redis.uri(),
                        redis.uri(),
                        "steps")
                .traffic(traffic());
        for (String step : LeasedMails.STEPS) {
            run.step(
                    step,
                    () -> redis.command("LRANGE", topic + "-" + step, "0", "-1")
                            .lines()
                            .toList());
        }
        FaultReport report = run.play();
        report.assertThat().handledOncePerId();
        // docs:end
        assertThat(report.faults())
                .filteredOn(line -> line.contains("was killed after step "))
                .as("%s", report.faults())
                .hasSize(2);
        assertThat(report.handled("m1", "mail")).isEqualTo(1);
        assertThat(report.toString()).contains("Doubled by step: charge 0, reserve 0, mail 0");
    }

    private Collection<String> mails(RedisAddress redis) {
        return redis.command("LRANGE", topic, "0", "-1").lines().toList();
    }

    @DisplayName("a listener in this process that acks before its effect is found, without a kill")
    @FaultPlan(
            seed = 3,
            messages = 60,
            times = 1,
            faults = {REBALANCE, COPIES})
    void acksEarly(FaultRun run) {
        List<String> effects = new CopyOnWriteArrayList<>();
        ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();
        ConcurrentMessageListenerContainer<String, String> container = container(record -> {
            var unused = later.schedule(() -> effects.add(record.value()), 700, TimeUnit.MILLISECONDS);
        });
        try {
            Traffic traffic = traffic();
            container.start();
            FaultReport report = run.inThisProcess()
                    .traffic(traffic)
                    .effects(() -> effects)
                    .faultsLast(Duration.ofMillis(500))
                    .play();

            assertThat(report.unacked()).isEmpty();
            assertThat(report.ackedEarly()).isNotEmpty();
            assertThat(report.doubled()).isNotEmpty(); // nothing recognizes copies
            assertThatThrownBy(() -> report.assertThat().lostNothing())
                    .hasMessageContaining("acknowledged before the effect")
                    .hasMessageContaining(") without an effect");
        } finally {
            container.stop();
            later.shutdownNow();
        }
    }

    private ConcurrentMessageListenerContainer<String, String> container(MessageListener<String, String> listener) {
        ContainerProperties properties = new ContainerProperties(topic);
        properties.setMessageListener(listener);
        return new ConcurrentMessageListenerContainer<>(
                new DefaultKafkaConsumerFactory<>(
                        Map.of(
                                "bootstrap.servers",
                                KafkaServers.shared().bootstrapServers(),
                                "group.id",
                                topic,
                                "auto.offset.reset",
                                "earliest"),
                        new StringDeserializer(),
                        new StringDeserializer()),
                properties);
    }
}
