package io.dedup.failover.redis;

import io.dedup.failover.load.Closeables;
import io.dedup.failover.load.EffectLog;
import io.dedup.failover.load.Handling;
import io.dedup.failover.load.KafkaConsumers;
import io.dedup.failover.load.KafkaTopic;
import io.dedup.failover.load.LeasedHandling;
import io.dedup.failover.load.Postgres;
import io.dedup.failover.load.StorePatience;
import io.dedup.failover.load.TransactionalHandling;
import io.dedup.failover.plan.Effect;
import io.dedup.failover.plan.Outage;
import io.dedup.failover.plan.RunningScenario;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.store.redis.RedisDedupStoreBuilder;
import io.dedup.testservers.kafka.KafkaServer;
import io.dedup.testservers.kafka.KafkaServers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A Kafka topic, its consumers, and the Redis servers that fail over beneath them. */
final class RedisRun implements RunningScenario {
    private static final String TOPIC = "failover";
    private static final int CONSUMERS = 3;
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration CONFIRMATION_TIMEOUT = Duration.ofMillis(500);

    private final Closeables open = new Closeables();
    private final RedisRecords records;
    private final FailingRedis redis;
    private final EffectLog effects = new EffectLog();
    private final @Nullable Postgres postgres;
    private final KafkaTopic topic;

    RedisRun(Supplier<FailingRedis> servers, RedisRecords records) throws Exception {
        this.records = records;
        try {
            this.redis = open.add(servers.get());
            this.postgres = records == RedisRecords.TIERED ? open.add(new Postgres()) : null;
            KafkaServer kafka = open.add(KafkaServers.start());
            kafka.createTopic(TOPIC, KafkaTopic.PARTITIONS);
            this.topic = open.add(new KafkaTopic(kafka.bootstrapServers(), TOPIC));
            open.add(new KafkaConsumers(kafka.bootstrapServers(), TOPIC, CONSUMERS, this::handling));
        } catch (Exception | Error e) {
            open.close();
            throw e;
        }
    }

    private Handling handling(String ofTopic) {
        return postgres == null
                ? new LeasedHandling(store(), ofTopic, effects)
                : TransactionalHandling.tiered(postgres.pool(), ofTopic, this::store);
    }

    private RedisDedupStore store() {
        RedisDedupStoreBuilder builder = redis.store().commandTimeout(COMMAND_TIMEOUT);
        if (records == RedisRecords.LEASED_CONFIRMED) {
            builder.waitForReplicas(1, CONFIRMATION_TIMEOUT);
        }
        return StorePatience.open(builder::build);
    }

    @Override
    public CompletableFuture<?> send(String id) {
        return topic.send(id);
    }

    @Override
    public Outage failOver(int number) throws InterruptedException {
        return redis.failOver(number);
    }

    @Override
    public boolean isConsumed() throws InterruptedException {
        return topic.isConsumed();
    }

    @Override
    public List<Effect> effects() {
        return postgres == null ? effects.effects() : postgres.effects();
    }

    @Override
    public void close() {
        open.close();
    }
}
