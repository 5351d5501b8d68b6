package io.dedup.kafka.internal.listener;

import io.dedup.kafka.internal.ack.NackWatch;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.handler.Invocations;
import io.dedup.kafka.internal.reply.ListenerReplies;
import io.dedup.kafka.internal.settlement.AsyncMode;
import io.dedup.kafka.internal.settlement.ContainerServices;
import io.micrometer.observation.ObservationRegistry;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ConsumerSeekAware;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.adapter.AsyncRepliesAware;
import org.springframework.kafka.listener.adapter.FilteringMessageListenerAdapter;
import org.springframework.kafka.support.Acknowledgment;

/**
 * Runs a record listener once per message ID.
 *
 * <p>It extends a filter so that the container passes it the observation registry: the observation of a skipped record
 * must be closed here.
 */
public final class DedupMessageListener<K, V> extends FilteringMessageListenerAdapter<K, V>
        implements AsyncRepliesAware {
    private final ContainerServices services;
    private final ContainerLifecycle lifecycle;
    private final RecordPipeline<K, V> pipeline;

    public DedupMessageListener(
            MessageListener<K, V> delegate,
            ContainerServices services,
            ListenerReplies replies,
            Invocations invocations,
            @Nullable AsyncMode mode,
            ContainerLifecycle lifecycle) {
        super(delegate, record -> false);
        this.services = services;
        this.lifecycle = lifecycle;
        this.pipeline = new RecordPipeline<>(services, replies, invocations, mode, this::invoke);
    }

    public ContainerLifecycle lifecycle() {
        return lifecycle;
    }

    @Override
    public void onMessage(
            ConsumerRecord<K, V> record, @Nullable Acknowledgment acknowledgment, @Nullable Consumer<?, ?> consumer) {
        BoundConsumer bound = services.consumers().current();
        bound.deferred().arrived();
        bound.outstanding().begun(record);
        NackWatch watched = acknowledgment == null ? null : new NackWatch(acknowledgment, bound.watched()::byContainer);
        try {
            boolean finished;
            bound.watched().handedOut();
            try {
                finished = pipeline.handle(record, watched, consumer, bound);
            } finally {
                bound.watched().handedBack();
            }
            if (watched != null && watched.isNacked()) {
                bound.watched().nacked(watched.sleep());
            }
            if (finished && (watched == null || !watched.isNacked())) {
                bound.outstanding().finished(record);
            }
        } catch (Throwable e) { // an error handler may take long, and refetch the rest of the poll
            bound.claims().giveBack();
            throw e;
        }
    }

    private void invoke(
            ConsumerRecord<K, V> record, @Nullable Acknowledgment acknowledgment, @Nullable Consumer<?, ?> consumer) {
        switch (delegateType) {
            case ACKNOWLEDGING_CONSUMER_AWARE -> delegate.onMessage(record, acknowledgment, consumer);
            case ACKNOWLEDGING -> delegate.onMessage(record, acknowledgment);
            case CONSUMER_AWARE -> delegate.onMessage(record, consumer);
            case SIMPLE -> delegate.onMessage(record);
        }
    }

    @Override
    public void setObservationRegistry(ObservationRegistry registry) {
        super.setObservationRegistry(registry);
        pipeline.observation().in(registry);
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
