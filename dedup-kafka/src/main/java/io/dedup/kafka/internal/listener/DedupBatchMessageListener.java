package io.dedup.kafka.internal.listener;

import io.dedup.kafka.internal.Partitions;
import io.dedup.kafka.internal.ack.NackWatch;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.settlement.ContainerServices;
import io.dedup.kafka.internal.settlement.ListenerCall;
import io.dedup.kafka.internal.settlement.SettlementKind;
import io.dedup.kafka.internal.settlement.SettlementKind.Transaction;
import io.dedup.kafka.internal.settlement.SettlementKinds;
import io.dedup.kafka.internal.spring.HandlerMethods;
import io.dedup.kafka.internal.spring.PollResults;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConsumerSeekAware;
import org.springframework.kafka.listener.ListenerType;
import org.springframework.kafka.listener.ListenerUtils;
import org.springframework.kafka.listener.adapter.AbstractDelegatingMessageListenerAdapter;
import org.springframework.kafka.listener.adapter.AsyncRepliesAware;
import org.springframework.kafka.support.Acknowledgment;

/** Passes the new records of each batch to a batch listener, in order, and skips duplicates. */
public final class DedupBatchMessageListener<K, V>
        extends AbstractDelegatingMessageListenerAdapter<BatchMessageListener<K, V>>
        implements BatchAcknowledgingConsumerAwareMessageListener<K, V>, AsyncRepliesAware {
    private final ContainerServices services;
    private final ContainerLifecycle lifecycle;
    private final SettlementKinds kinds;

    public DedupBatchMessageListener(
            BatchMessageListener<K, V> delegate, ContainerServices services, ContainerLifecycle lifecycle) {
        super(delegate);
        this.services = services;
        this.lifecycle = lifecycle;
        this.kinds = new SettlementKinds(services);
    }

    public ContainerLifecycle lifecycle() {
        return lifecycle;
    }

    @Override
    public void onMessage(
            List<ConsumerRecord<K, V>> records,
            @Nullable Acknowledgment acknowledgment,
            @Nullable Consumer<?, ?> consumer) {
        handle(records, acknowledgment, consumer, (part, ack) -> invoke(part, ack, consumer));
    }

    @Override
    public void onMessage(List<ConsumerRecord<K, V>> records) {
        onMessage(records, null, null);
    }

    @Override
    public void onMessage(List<ConsumerRecord<K, V>> records, @Nullable Acknowledgment acknowledgment) {
        onMessage(records, acknowledgment, null);
    }

    @Override
    public void onMessage(List<ConsumerRecord<K, V>> records, @Nullable Consumer<?, ?> consumer) {
        onMessage(records, null, consumer);
    }

    @Override
    public void onMessage(
            ConsumerRecords<K, V> records, @Nullable Acknowledgment acknowledgment, Consumer<K, V> consumer) {
        List<ConsumerRecord<K, V>> list = new ArrayList<>(records.count());
        records.forEach(list::add);
        handle(
                list,
                acknowledgment,
                consumer,
                (part, ack) ->
                        delegate.onMessage(part.size() == list.size() ? records : recordsOf(part), ack, consumer));
    }

    private void handle(
            List<ConsumerRecord<K, V>> records,
            @Nullable Acknowledgment acknowledgment,
            @Nullable Consumer<?, ?> consumer,
            BatchCall.Handler<K, V> handler) {
        BoundConsumer bound = services.consumers().current();
        bound.deferred().arrived();
        if (records.isEmpty()) { // a BatchInterceptor has removed them all
            bound.transaction().beginWithoutRecords();
            bound.soughtBack().withoutRecords(() -> handler.handle(records, acknowledgment));
            return;
        }
        NackWatch watched = acknowledgment == null ? null : new NackWatch(acknowledgment, bound.watched()::byContainer);
        SettlementKind<ListenerCall> kind = kinds.ofBatch(records.get(0).topic(), watched != null);
        bound.watched().holding(() -> {
            PolledBatch<K, V> batch = new PolledBatch<>(services.engine(), services.deliveries(), bound, records);
            new BatchPipeline<>(kind, batch, watched, consumer, handler).run();
            return records;
        });
        if (watched != null && watched.isNacked()) {
            bound.watched().nacked(watched.sleep());
        }
        if (kind.transaction() != Transaction.KAFKA && (watched == null || !watched.isNacked())) {
            bound.outstanding().finished(records);
        }
    }

    private void invoke(
            List<ConsumerRecord<K, V>> records,
            @Nullable Acknowledgment acknowledgment,
            @Nullable Consumer<?, ?> consumer) {
        switch (delegateType) {
            case ACKNOWLEDGING_CONSUMER_AWARE -> delegate.onMessage(records, acknowledgment, consumer);
            case ACKNOWLEDGING -> delegate.onMessage(records, acknowledgment);
            case CONSUMER_AWARE -> delegate.onMessage(records, consumer);
            case SIMPLE -> delegate.onMessage(records);
        }
    }

    private static <K, V> ConsumerRecords<K, V> recordsOf(List<ConsumerRecord<K, V>> part) {
        Map<TopicPartition, List<ConsumerRecord<K, V>>> byPartition = new LinkedHashMap<>();
        for (ConsumerRecord<K, V> record : part) {
            byPartition
                    .computeIfAbsent(Partitions.of(record), partition -> new ArrayList<>())
                    .add(record);
        }
        return PollResults.of(byPartition);
    }

    /**
     * In a Kafka transaction the consumer is needed, but the container passes it only to listeners whose innermost
     * delegate asks for it.
     */
    @Override
    public BatchMessageListener<K, V> getDelegate() {
        BatchAcknowledgingConsumerAwareMessageListener<K, V> wantsConsumer = this::invoke;
        ListenerType type = ListenerUtils.determineListenerType(HandlerMethods.innermost(delegate));
        return services.kafkaTransactions().areUsed()
                        && (type == ListenerType.SIMPLE || type == ListenerType.ACKNOWLEDGING)
                ? wantsConsumer
                : super.getDelegate();
    }

    @Override
    public boolean wantsPollResult() {
        return delegate.wantsPollResult();
    }

    @Override
    public boolean isAsyncReplies() {
        lifecycle.starting(); // a starting container calls this first, on the thread that starts it
        return false;
    }

    @Override
    public void registerSeekCallback(ConsumerSeekCallback callback) {
        lifecycle.consumerStarted(callback);
        super.registerSeekCallback(services.consumers().watched(callback));
    }

    @Override
    public void onPartitionsAssigned(Map<TopicPartition, Long> assignments, ConsumerSeekCallback callback) {
        lifecycle.assigned(assignments.keySet());
        super.onPartitionsAssigned(assignments, callback);
    }

    /** A handler may seek back to what it has collected. */
    @Override
    public void onIdleContainer(Map<TopicPartition, Long> assignments, ConsumerSeekCallback callback) {
        BoundConsumer bound = services.consumers().current();
        bound.soughtBack().idle(() -> super.onIdleContainer(assignments, callback));
    }

    @Override
    public void onPartitionsRevoked(@Nullable Collection<TopicPartition> partitions) {
        lifecycle.revoked(partitions);
        super.onPartitionsRevoked(partitions);
    }

    @Override
    public void onFirstPoll() {
        if (delegate instanceof ConsumerSeekAware aware) {
            aware.onFirstPoll();
        }
    }

    @Override
    public void unregisterSeekCallback() {
        try {
            if (delegate instanceof ConsumerSeekAware aware) {
                aware.unregisterSeekCallback();
            }
        } finally {
            lifecycle.consumerStopped();
        }
    }
}
