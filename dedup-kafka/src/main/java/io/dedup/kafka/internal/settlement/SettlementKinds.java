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
    private final @Nullable SettlementKind<RecordListenerCall> whenFutureEnds;
    private final SettlementKind<ListenerCall> inKafkaTransaction;
    private final SettlementKind<ListenerCall> inDatabaseTransaction = new InDatabaseTransaction();
    private final SettlementKind<ListenerCall> whenAcknowledged = new WhenAcknowledged();
    private final SettlementKind<ListenerCall> atReturn;

    /** Creates those of a listener that is called with batches, or whose records are done when it returns. */
    public SettlementKinds(ContainerServices services) {
        this(services, null);
    }

    /** Creates those of a record listener whose records may end later than its call. */
    public SettlementKinds(ContainerServices services, AsyncMode mode, CurrentObservation observation) {
        this(services, new WhenFutureEnds(services.engine(), observation, mode));
    }

    private SettlementKinds(ContainerServices services, @Nullable WhenFutureEnds whenFutureEnds) {
        this.services = services;
        this.whenFutureEnds = whenFutureEnds;
        this.inKafkaTransaction = new InKafkaTransaction(services.engine(), services.kafkaTransactions());
        this.atReturn = new AtReturn(services.engine());
    }

    /** How this record ends, of which {@code manual} says whether the container leaves acknowledging it to the handler. */
    public SettlementKind<? super RecordListenerCall> ofRecord(String topic, boolean manual) {
        return whenFutureEnds != null && manual && !services.kafkaTransactions().areUsed()
                ? whenFutureEnds
                : ofBatch(topic, manual);
    }

    /** How this batch ends, of which {@code manual} says whether the container leaves acknowledging it to the handler. */
    public SettlementKind<ListenerCall> ofBatch(String topic, boolean manual) {
        if (services.kafkaTransactions().areUsed()) {
            return inKafkaTransaction;
        }
        if (services.deliveries().isTransactional(topic)) {
            return inDatabaseTransaction;
        }
        return manual ? whenAcknowledged : atReturn;
    }
}
