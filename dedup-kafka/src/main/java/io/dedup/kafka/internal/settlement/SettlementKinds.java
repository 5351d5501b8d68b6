package io.dedup.kafka.internal.settlement;

import io.dedup.kafka.internal.spring.CurrentObservation;
import org.jspecify.annotations.Nullable;

/**
 * Chooses how a run of one container ends. It does so for each record, not once at the container's start: a consumer
 * that outlives the stop of its container still has records of the old ack mode when the container has started again
 * with another one. Thread-safe.
 */
public final class SettlementKinds {
    private final ContainerServices services;
    private final SettlementKind inKafkaTransaction;
    private final @Nullable SettlementKind whenFutureEnds;
    private final SettlementKind inDatabaseTransaction;
    private final SettlementKind inDatabaseTransactionInOrder;
    private final SettlementKind whenAcknowledged = new WhenAcknowledged();
    private final SettlementKind atReturn;

    /** @param mode of a record listener whose records may end later than its call; otherwise null */
    public SettlementKinds(ContainerServices services, CurrentObservation observation, @Nullable AsyncMode mode) {
        this.services = services;
        this.inKafkaTransaction = new InKafkaTransaction(services.engine(), services.kafkaTransactions());
        this.whenFutureEnds = mode == null ? null : new WhenFutureEnds(services.engine(), observation, mode);
        this.inDatabaseTransaction = new InDatabaseTransaction(false);
        this.inDatabaseTransactionInOrder = new InDatabaseTransaction(true);
        this.atReturn = new AtReturn(services.engine());
    }

    /** @param manual whether the container leaves acknowledging this record to the handler */
    public SettlementKind of(String topic, boolean manual) {
        if (services.kafkaTransactions().areUsed()) {
            return inKafkaTransaction;
        }
        if (whenFutureEnds != null && manual) {
            return whenFutureEnds;
        }
        if (services.deliveries().isTransactional(topic)) {
            return manual ? inDatabaseTransactionInOrder : inDatabaseTransaction;
        }
        return manual ? whenAcknowledged : atReturn;
    }
}
