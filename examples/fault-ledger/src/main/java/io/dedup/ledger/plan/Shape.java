package io.dedup.ledger.plan;

import io.dedup.policy.DedupMode;
import java.util.Arrays;
import java.util.List;

/** The shape of a row's listener, and how it acknowledges. */
public enum Shape {
    /** A record at a time; offsets are committed after a poll. */
    RECORD(true),
    /** A record at a time; each offset is committed at once. */
    RECORD_ACK(true),
    /** A poll at a time. */
    BATCH(true),
    /** The method returns a future, which ends on another thread. */
    FUTURE(false),
    /** The record is acknowledged by another thread, in any order. */
    ASYNC_ACKS(false),
    /** The record is acknowledged by the handler; offsets are committed after a poll. */
    MANUAL(true),
    /** The record is acknowledged by the handler, and its offset committed at once. */
    MANUAL_IMMEDIATE(true),
    /** A poll at a time, acknowledged by the handler. */
    BATCH_MANUAL(true),
    /** Failed records continue in a retry topic. */
    RETRY_TOPIC(false),
    /** A record at a time; outputs and offsets are committed in one Kafka transaction. */
    KAFKA_TRANSACTION(false),
    /** The same with a poll at a time. */
    KAFKA_TRANSACTION_BATCH(false),
    /** A record at a time, of a share group. It is drawn apart, so that older seeds keep their shapes. */
    SHARE_GROUP(false);

    private final boolean inDatabaseTransactions;

    Shape(boolean inDatabaseTransactions) {
        this.inDatabaseTransactions = inDatabaseTransactions;
    }

    /** The shapes that dedup supports in this mode, without share groups. */
    static List<Shape> of(DedupMode mode) {
        return Arrays.stream(values())
                .filter(shape -> shape != SHARE_GROUP)
                .filter(shape -> shape.inDatabaseTransactions || !mode.isTransactional())
                .toList();
    }

    /** Whether its handler gets a whole poll. */
    public boolean isBatch() {
        return this == BATCH || this == BATCH_MANUAL || this == KAFKA_TRANSACTION_BATCH;
    }

    /** Whether a listener's own error handler sees its failures. */
    public boolean endsAtReturn() {
        return this != FUTURE && this != ASYNC_ACKS && this != RETRY_TOPIC && this != SHARE_GROUP;
    }

    /** Whether its handler acknowledges. */
    public boolean acknowledges() {
        return this == MANUAL || this == MANUAL_IMMEDIATE || this == BATCH_MANUAL || this == ASYNC_ACKS;
    }

    /** Whether the ledger chooses its container's error handler: retry topics have their own, the others have none. */
    boolean hasErrorHandler() {
        return this != RETRY_TOPIC && this != SHARE_GROUP && !isInKafkaTransaction();
    }

    /** Whether the container acknowledges a record without the handler, as when an interceptor has dropped it. */
    boolean isAcknowledgedByContainer() {
        return this == RECORD || this == RECORD_ACK || this == BATCH;
    }

    /** Whether its effect is a record that it sends in a Kafka transaction. */
    public boolean isInKafkaTransaction() {
        return this == KAFKA_TRANSACTION || this == KAFKA_TRANSACTION_BATCH;
    }
}
