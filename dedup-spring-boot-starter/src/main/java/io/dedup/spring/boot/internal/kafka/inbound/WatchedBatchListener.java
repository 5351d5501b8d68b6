package io.dedup.spring.boot.internal.kafka.inbound;

import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConsumerSeekAware;
import org.springframework.kafka.listener.adapter.AbstractDelegatingMessageListenerAdapter;
import org.springframework.kafka.support.Acknowledgment;

/** Reports a batch as failed that the listener's own error handling has taken. Thread-safe. */
final class WatchedBatchListener<K, V> extends AbstractDelegatingMessageListenerAdapter<BatchMessageListener<K, V>>
        implements BatchAcknowledgingConsumerAwareMessageListener<K, V> {
    private final SendWatch watch;
    private final String name;

    WatchedBatchListener(BatchMessageListener<K, V> delegate, SendWatch watch, String name) {
        super(delegate);
        this.watch = watch;
        this.name = name;
    }

    @Override
    public void onMessage(
            List<ConsumerRecord<K, V>> records,
            @Nullable Acknowledgment acknowledgment,
            @Nullable Consumer<?, ?> consumer) {
        watch.run(name, () -> delegate.onMessage(records, acknowledgment, consumer));
    }

    @Override
    public void onFirstPoll() {
        if (delegate instanceof ConsumerSeekAware aware) {
            aware.onFirstPoll();
        }
    }

    @Override
    public void unregisterSeekCallback() {
        if (delegate instanceof ConsumerSeekAware aware) {
            aware.unregisterSeekCallback();
        }
    }
}
