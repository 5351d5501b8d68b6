package io.dedup.failover.kafka;

import io.dedup.failover.plan.Outage;
import io.dedup.testservers.kafka.KafkaCluster;
import io.dedup.testservers.kafka.KafkaServer;
import io.dedup.testservers.kafka.KafkaServers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Three brokers are killed one after the other, and started again. In every second round they are paused instead, and
 * continue when others have taken over.
 */
final class KafkaFailover implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(KafkaFailover.class);

    private final KafkaCluster servers = KafkaServers.startCluster();

    String bootstrapServers() {
        return servers.bootstrapServers();
    }

    void createTopic(String topic, int partitions) {
        servers.createTopic(topic, partitions);
    }

    Outage failOver(int number) {
        int size = servers.brokers().size();
        KafkaServer broker = servers.brokers().get(number % size);
        boolean kill = number / size % 2 == 0;
        long begin = System.currentTimeMillis();
        if (kill) {
            broker.kill();
            servers.awaitTakeover(broker);
            log.debug("others have taken over after {} ms", System.currentTimeMillis() - begin);
            broker.start();
            log.debug("started again after {} ms", System.currentTimeMillis() - begin);
        } else {
            broker.pause();
            servers.awaitTakeover(broker);
            broker.resume();
        }
        servers.awaitInSync();
        return Outage.keepsAll(kill ? "broker killed" : "broker paused", begin, System.currentTimeMillis());
    }

    @Override
    public void close() {
        servers.close();
    }
}
