package io.dedup.kafka.internal.settlement;

import io.dedup.kafka.internal.spring.CurrentObservation;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Chooses how the runs of one container end, once for each topic from its start on. Thread-safe. */
public final class SettlementKinds {
    private final ContainerServices services;
    private final CurrentObservation observation;
    private final @Nullable AsyncMode mode;
    private final Map<String, SettlementKind> byTopic = new ConcurrentHashMap<>();

    /** @param mode of a record listener whose records may end later than its call; else null */
    public SettlementKinds(ContainerServices services, CurrentObservation observation, @Nullable AsyncMode mode) {
        this.services = services;
        this.observation = observation;
        this.mode = mode;
    }

    /** The container starts, perhaps with other settings than before. */
    public void starting() {
        byTopic.clear();
    }

    /** @param manual whether the container leaves acknowledging to the handler */
    public SettlementKind of(String topic, boolean manual) {
        SettlementKind known = byTopic.get(topic);
        if (known == null) {
            known = choose(topic, manual);
            byTopic.put(topic, known);
        }
        return known;
    }

    private SettlementKind choose(String topic, boolean manual) {
        if (services.kafkaTransactions().areUsed()) {
            return new InKafkaTransaction(services.engine(), services.kafkaTransactions());
        }
        if (mode != null && manual) {
            return new WhenFutureEnds(services.engine(), observation, mode);
        }
        if (services.deliveries().isTransactional(topic)) {
            return new InDatabaseTransaction(manual);
        }
        return manual ? new WhenAcknowledged() : new AtReturn(services.engine());
    }
}
