package io.dedup.failover.sql;

import io.dedup.failover.load.Closeables;
import io.dedup.failover.load.EffectLog;
import io.dedup.failover.load.Handling;
import io.dedup.failover.load.KafkaConsumers;
import io.dedup.failover.load.KafkaTopic;
import io.dedup.failover.plan.Effect;
import io.dedup.failover.plan.Outage;
import io.dedup.failover.plan.RunningScenario;
import io.dedup.policy.DedupMode;
import io.dedup.testservers.kafka.KafkaServer;
import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A Kafka topic, its consumers, and the database that fails over beneath them. */
final class SqlRun implements RunningScenario {
    private static final String TOPIC = "failover";
    private static final int CONSUMERS = 3;
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Duration PROBE = Duration.ofMillis(100);

    private final Closeables open = new Closeables();
    private final SqlScenario scenario;
    private final FailingDatabase database;
    private final @Nullable RedisServer front;
    private final EffectLog log = new EffectLog();
    private final CommitLog committed = new CommitLog();
    private final KafkaTopic topic;

    SqlRun(SqlScenario scenario, long seed) throws Exception {
        this.scenario = scenario;
        try {
            database = open.add(new FailingDatabase(scenario, seed));
            front = scenario.mode() == DedupMode.TIERED ? open.add(RedisServers.start()) : null;
            KafkaServer kafka = open.add(KafkaServers.start());
            kafka.createTopic(TOPIC, KafkaTopic.PARTITIONS);
            topic = open.add(new KafkaTopic(kafka.bootstrapServers(), TOPIC));
            open.add(new KafkaConsumers(kafka.bootstrapServers(), TOPIC, CONSUMERS, this::handling));
        } catch (Exception | Error e) {
            open.close();
            throw e;
        }
    }

    private Handling handling(String name) {
        return scenario.mode() == DedupMode.LEASED
                ? SqlHandling.leased(database.pool(), name, log)
                : SqlHandling.transactional(database.pool(), name, scenario.mode(), front, committed);
    }

    @Override
    public CompletableFuture<?> send(String id) {
        return topic.send(id);
    }

    @Override
    public Outage failOver(int number) throws InterruptedException {
        Outage outage = database.failOver();
        awaitEffect();
        return outage;
    }

    /** Waits until consumers are working again, so that the next failover hits them at work. */
    private void awaitEffect() throws InterruptedException {
        long before = took();
        long until = System.nanoTime() + LIMIT.toNanos();
        while (took() == before && System.nanoTime() - until < 0) {
            TimeUnit.NANOSECONDS.sleep(PROBE.toNanos());
        }
    }

    private long took() {
        return log.effects().size() + committed.count();
    }

    @Override
    public boolean isConsumed() throws InterruptedException {
        return topic.isConsumed();
    }

    @Override
    public List<Effect> effects() {
        return scenario.mode() == DedupMode.LEASED ? log.effects() : database.effects();
    }

    @Override
    public Set<String> lostByServer(Set<String> missing) {
        Set<String> lost = new HashSet<>(missing);
        lost.removeIf(id -> !committed.contains(id));
        return lost;
    }

    @Override
    public void close() {
        open.close();
    }
}
