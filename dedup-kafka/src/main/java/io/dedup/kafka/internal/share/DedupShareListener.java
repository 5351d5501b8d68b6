package io.dedup.kafka.internal.share;

import io.dedup.DedupContext;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerCall;
import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.Settlement;
import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.failure.FailedWork;
import io.dedup.kafka.internal.failure.Rethrow;
import io.dedup.kafka.internal.handler.Invocations;
import io.dedup.kafka.internal.record.RecordDeliveries;
import io.dedup.kafka.internal.settlement.NotAcknowledgedException;
import io.dedup.policy.DedupPolicy;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.AcknowledgingShareConsumerAwareMessageListener;
import org.springframework.kafka.listener.DelegatingMessageListener;
import org.springframework.kafka.listener.GenericMessageListener;
import org.springframework.kafka.support.ShareAcknowledgment;

/**
 * Runs the listener of a share group once per message ID. Exceptions go to the container's recoverer, which rejects the
 * record by default, and so loses it. Therefore a deferral is registered with the consumer, which keeps the record.
 *
 * @see DedupShareContainer
 */
final class DedupShareListener<K, V>
        implements AcknowledgingShareConsumerAwareMessageListener<K, V>,
                DelegatingMessageListener<GenericMessageListener<?>> {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private final GenericMessageListener<?> delegate;
    private final DedupAdapter engine;
    private final RecordDeliveries deliveries;
    private final Invocations invocations;

    DedupShareListener(
            GenericMessageListener<?> delegate,
            DedupAdapter engine,
            RecordDeliveries deliveries,
            Invocations invocations) {
        this.invocations = invocations;
        this.delegate = delegate;
        this.engine = engine;
        this.deliveries = deliveries;
    }

    @Override
    public GenericMessageListener<?> getDelegate() {
        return delegate;
    }

    @Override
    public void onShareRecord(
            ConsumerRecord<K, V> record, @Nullable ShareAcknowledgment acknowledgment, ShareConsumer<?, ?> consumer) {
        HoldingShareConsumer<?, ?> holding = (HoldingShareConsumer<?, ?>) consumer;
        if (holding.isLost(record)) {
            // Not accepted: the record may come back to this consumer before the container's acknowledgment does.
            throw deferred(record, DeferReason.LEASE_LOST, policy(record).maxDeferDelay(), null, holding);
        }
        Admission admission = engine.admit(deliveries.of(record), holding.budgetFor(record));
        if (!(admission instanceof Admission.Run run)) {
            notHandled(record, acknowledgment, admission, holding);
            return;
        }
        Execution execution = run.execution();
        try {
            holding.handling(record, policy(record).maxProcessingTime());
        } catch (Throwable e) { // otherwise the claim would be renewed for maxProcessingTime
            execution.giveBack();
            throw e;
        }
        if (execution.isTransactional()) {
            runInTransaction(record, acknowledgment, execution, holding);
        } else {
            run(record, acknowledgment, execution, holding);
        }
    }

    private static void pass(@Nullable ShareAcknowledgment acknowledgment) {
        if (acknowledgment != null) {
            acknowledgment.acknowledge();
        }
    }

    /** Returns when the record may be accepted without a run. */
    private void notHandled(
            ConsumerRecord<K, V> record,
            @Nullable ShareAcknowledgment acknowledgment,
            Admission admission,
            HoldingShareConsumer<?, ?> consumer) {
        if (admission instanceof Admission.Reject reject) {
            throw reject.cause();
        }
        if (admission instanceof Admission.Defer defer) {
            throw deferred(record, defer.reason(), defer.retryAfter(), defer.cause(), consumer);
        }
        pass(acknowledgment);
    }

    private DeliveryDeferredException deferred(
            ConsumerRecord<K, V> record,
            DeferReason reason,
            Duration retryAfter,
            @Nullable Throwable cause,
            HoldingShareConsumer<?, ?> consumer) {
        DeliveryDeferredException deferral =
                new DeliveryDeferredException(reason, retryAfter, false, record, record, cause);
        consumer.defer(record, deferral);
        return deferral;
    }

    /** The record ends at the handler's return, or, in the ack mode MANUAL, with its acknowledgment. */
    private void run(
            ConsumerRecord<K, V> record,
            @Nullable ShareAcknowledgment acknowledgment,
            Execution execution,
            HoldingShareConsumer<?, ?> consumer) {
        Duration delay = policy(record).maxDeferDelay();
        ClaimedShareAcknowledgment ack = acknowledgment == null
                ? null
                : new ClaimedShareAcknowledgment(acknowledgment, execution, consumer, () -> {
                    Object unused = deferred(record, DeferReason.LEASE_LOST, delay, null, consumer);
                });
        HandlerCall<Boolean> handler = () -> {
            invoke(record, ack, consumer, execution);
            if (ack != null) {
                ack.handlerReturned();
            }
            return ack == null;
        };
        boolean unused = HandlerRun.run(execution, handler, new Settlement<>() {
            @Override
            public Boolean succeeded(Boolean isTheEnd) {
                if (isTheEnd) {
                    execution.succeed(null, consumer.budget()); // whatever the answer, the effect has happened
                }
                return isTheEnd;
            }

            @Override
            public Boolean failed(Throwable thrown) {
                boolean unsettled = ack == null || ack.failedUnsettled();
                boolean leaseLost = unsettled && FailedWork.release(engine, List.of(execution), thrown);
                throw HandlerRun.isDeferral(leaseLost, thrown)
                        ? deferred(record, DeferReason.LEASE_LOST, delay, thrown, consumer)
                        : Rethrow.asIs(thrown);
            }
        });
    }

    /** Returns when the record is done: its transaction has committed, or its message was done before. */
    private void runInTransaction(
            ConsumerRecord<K, V> record,
            @Nullable ShareAcknowledgment acknowledgment,
            Execution execution,
            HoldingShareConsumer<?, ?> consumer) {
        TransactionShareAcknowledgment ack =
                acknowledgment == null ? null : new TransactionShareAcknowledgment(acknowledgment);
        RunEnd end = engine.run(
                execution,
                running -> {
                    invoke(record, ack, consumer, running);
                    if (ack != null) {
                        ack.handlerReturned();
                    }
                    return null;
                },
                consumer.budgetFor(record));
        if (end instanceof RunEnd.NotHandled notHandled) {
            notHandled(record, acknowledgment, notHandled.admission(), consumer);
        } else if (end instanceof RunEnd.Failed failed) {
            if (!(failed.cause() instanceof NotAcknowledgedException open) || ack == null) {
                throw Rethrow.asIs(failed.cause());
            }
            if (!ack.pass()) {
                log.warn("Rolled back the message in {}: {}", name(record), open.getMessage());
                throw deferred(record, DeferReason.ROLLED_BACK, policy(record).maxDeferDelay(), open, consumer);
            }
        } else if (ack != null) {
            ack.pass();
        }
    }

    private void invoke(
            ConsumerRecord<K, V> record,
            @Nullable ShareAcknowledgment acknowledgment,
            ShareConsumer<?, ?> consumer,
            DedupContext context) {
        invocations.begin(record, () -> context);
        try {
            invoke(record, acknowledgment, consumer);
        } finally {
            invocations.end(record);
        }
    }

    @SuppressWarnings("unchecked")
    private void invoke(
            ConsumerRecord<K, V> record, @Nullable ShareAcknowledgment acknowledgment, ShareConsumer<?, ?> consumer) {
        if (delegate instanceof AcknowledgingShareConsumerAwareMessageListener<?, ?> aware) {
            ((AcknowledgingShareConsumerAwareMessageListener<K, V>) aware)
                    .onShareRecord(record, acknowledgment, consumer);
        } else {
            ((GenericMessageListener<ConsumerRecord<K, V>>) delegate).onMessage(record);
        }
    }

    private DedupPolicy policy(ConsumerRecord<?, ?> record) {
        return deliveries.topic(record.topic()).policy();
    }

    private static String name(ConsumerRecord<?, ?> record) {
        return "topic " + record.topic() + ", partition " + record.partition() + ", offset " + record.offset();
    }
}
