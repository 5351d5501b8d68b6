package io.dedup.failover.kafka;

import io.dedup.failover.load.Closeables;
import io.dedup.failover.load.KafkaConsumers;
import io.dedup.failover.load.KafkaTopic;
import io.dedup.failover.plan.Effect;
import io.dedup.failover.plan.Outage;
import io.dedup.failover.plan.RunningScenario;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A replicated topic, its consumers, and a store that stays. */
final class KafkaRun implements RunningScenario {
    private static final String TOPIC = "failover";
    private static final int CONSUMERS = 3;

    private final Closeables open = new Closeables();
    private final Records records;
    private final KafkaFailover kafka;
    private final KafkaTopic topic;

    KafkaRun(Supplier<Records> records) throws Exception {
        try {
            this.records = open.add(records.get());
            this.kafka = open.add(new KafkaFailover());
            kafka.createTopic(TOPIC, KafkaTopic.PARTITIONS);
            this.topic = open.add(new KafkaTopic(kafka.bootstrapServers(), TOPIC));
            open.add(new KafkaConsumers(kafka.bootstrapServers(), TOPIC, CONSUMERS, this.records::handling));
        } catch (Exception | Error e) {
            open.close();
            throw e;
        }
    }

    @Override
    public CompletableFuture<?> send(String id) {
        return topic.send(id);
    }

    @Override
    public Outage failOver(int number) {
        return kafka.failOver(number);
    }

    @Override
    public boolean isConsumed() throws InterruptedException {
        return topic.isConsumed();
    }

    @Override
    public List<Effect> effects() {
        return records.effects();
    }

    @Override
    public void close() {
        open.close();
    }
}
