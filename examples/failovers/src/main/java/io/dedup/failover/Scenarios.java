package io.dedup.failover;

import io.dedup.failover.kafka.KafkaScenarios;
import io.dedup.failover.plan.Scenario;
import io.dedup.failover.redis.RedisScenarios;
import io.dedup.failover.rocketmq.RocketMqScenarios;
import io.dedup.failover.sql.SqlScenarios;
import java.util.List;
import java.util.stream.Stream;

/** All scenarios, in the order of the report. */
final class Scenarios {
    private Scenarios() {}

    static List<Scenario> all() {
        return Stream.of(RedisScenarios.all(), KafkaScenarios.all(), SqlScenarios.all(), RocketMqScenarios.all())
                .flatMap(List::stream)
                .toList();
    }

    /** @throws IllegalArgumentException when there is none of this name; names those that there are */
    static Scenario of(String id) {
        return all().stream()
                .filter(scenario -> scenario.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no scenario '" + id + "', but "
                        + all().stream().map(Scenario::id).toList()));
    }
}
