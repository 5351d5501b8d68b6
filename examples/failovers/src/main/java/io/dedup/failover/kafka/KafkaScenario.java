package io.dedup.failover.kafka;

import io.dedup.failover.plan.Promise;
import io.dedup.failover.plan.RunningScenario;
import io.dedup.failover.plan.Scenario;
import java.util.function.Supplier;

/**
 * Consumers whose Kafka brokers fail.
 *
 * @param records starts what the consumers keep their records in
 */
record KafkaScenario(String id, String title, Promise promise, Supplier<Records> records) implements Scenario {

    @Override
    public RunningScenario start(long seed) throws Exception {
        return new KafkaRun(records);
    }
}
