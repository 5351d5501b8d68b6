package io.dedup.failover.kafka;

import io.dedup.failover.plan.Promise;
import io.dedup.failover.plan.Scenario;
import java.util.List;

/** All scenarios in which Kafka's brokers fail, in the order of the report. */
public final class KafkaScenarios {
    private KafkaScenarios() {}

    public static List<Scenario> all() {
        return List.of(
                new KafkaScenario(
                        "kafka-leased", "Kafka, three brokers: LEASED in Redis", Promise.TOLD, LeasedInRedis::new),
                new KafkaScenario(
                        "kafka-transactional",
                        "Kafka, three brokers: TRANSACTIONAL in PostgreSQL",
                        Promise.ONCE,
                        TransactionalInPostgres::new));
    }
}
