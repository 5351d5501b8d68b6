package io.dedup.kafka.internal.settlement;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.consumer.BoundConsumers;
import io.dedup.kafka.internal.consumer.TransactionWork;
import io.dedup.kafka.internal.deferral.Deferrals;
import io.dedup.kafka.internal.failure.Rethrow;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.transaction.KafkaAwareTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;

/**
 * Wraps a container's Kafka transaction manager to notice commits and rollbacks: handled messages are completed after a
 * commit, and released after a rollback. Thread-safe as far as its delegate is.
 *
 * <p>It doesn't use transaction synchronization, which Kafka's manager has switched off, nor the manager's listeners:
 * both report a rollback when the answer to a commit was lost.
 */
public final class DedupTransactionManager<K, V> implements KafkaAwareTransactionManager<K, V> {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private final KafkaAwareTransactionManager<K, V> delegate;
    private final BoundConsumers consumers;
    private final Deferrals deferrals;
    private final BooleanSupplier stopsWhenFenced;

    public DedupTransactionManager(
            KafkaAwareTransactionManager<K, V> delegate,
            BoundConsumers consumers,
            Deferrals deferrals,
            BooleanSupplier stopsWhenFenced) {
        this.delegate = delegate;
        this.consumers = consumers;
        this.deferrals = deferrals;
        this.stopsWhenFenced = stopsWhenFenced;
    }

    public KafkaAwareTransactionManager<K, V> delegate() {
        return delegate;
    }

    @Override
    public ProducerFactory<K, V> getProducerFactory() {
        return delegate.getProducerFactory();
    }

    @Override
    public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
        BoundConsumer bound = consumers.currentOrNull();
        if (bound != null) {
            bound.transaction().beginning();
        }
        try {
            return delegate.getTransaction(definition);
        } catch (RuntimeException | Error e) {
            consumers.suspectDrop(); // the container drops its records if the transaction of a recovery cannot begin
            throw e;
        }
    }

    @Override
    public void commit(TransactionStatus status) {
        BoundConsumer bound = consumers.currentOrNull();
        if (bound == null
                || bound.transaction().current() == null) { // a commit of offsets only, outside of any listener
            delegate.commit(status);
            return;
        }
        TransactionWork work = bound.transaction();
        if (work.leaseLost()) {
            rollback(status);
            throw deferral(bound, DeferReason.LEASE_LOST, null);
        }
        if (status.isRollbackOnly()) {
            rollback(status); // the delegate's commit would roll back silently, and the record would be skipped
            throw new UnexpectedRollbackException("The handler has marked its Kafka transaction for rollback");
        }
        try {
            delegate.commit(status);
        } catch (RuntimeException | Error e) {
            work.failed();
            work.commitUnknown();
            throw e instanceof ProducerFencedException fenced ? fenced(fenced, bound) : Rethrow.asIs(e);
        }
        bound.outstanding().finished(work.covered());
        try {
            work.committed(bound.budget());
        } catch (RuntimeException e) { // it is committed; an exception would repeat the handling
            log.error(
                    "Cannot record the messages of a committed Kafka transaction as done; they are handled again if"
                            + " redelivered after their leases expire",
                    e);
        }
    }

    @Override
    public void rollback(TransactionStatus status) {
        BoundConsumer bound = consumers.currentOrNull();
        try {
            delegate.rollback(status);
        } catch (ProducerFencedException e) {
            throw bound == null || bound.transaction().current() == null ? e : fenced(e, bound);
        } finally {
            if (bound != null) {
                bound.transaction().failed();
                bound.transaction().rolledBack(); // whatever the answer, nothing commits it any more
            }
        }
    }

    /**
     * The container doesn't seek after a fenced producer: it would continue behind the rolled-back records and commit
     * that, unless it is configured to stop.
     */
    private RuntimeException fenced(ProducerFencedException fenced, BoundConsumer bound) {
        return stopsWhenFenced.getAsBoolean() ? fenced : deferral(bound, DeferReason.ROLLED_BACK, fenced);
    }

    private RuntimeException deferral(BoundConsumer bound, DeferReason reason, @Nullable Throwable cause) {
        ConsumerRecord<?, ?> record = bound.transaction().current();
        if (record == null) {
            throw new IllegalStateException("No listener was called in this transaction");
        }
        return bound.deferred().throwing(deferrals.of(reason, record, cause), record);
    }
}
