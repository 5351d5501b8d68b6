package io.dedup.spring.boot.internal.kafka.inbound;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.ConsumerSeekAware;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.adapter.AbstractDelegatingMessageListenerAdapter;
import org.springframework.kafka.support.Acknowledgment;

/** Reports a record as failed that the listener's own error handling has taken. Thread-safe. */
final class WatchedRecordListener<K, V> extends AbstractDelegatingMessageListenerAdapter<MessageListener<K, V>>
        implements AcknowledgingConsumerAwareMessageListener<K, V> {
    private final SendWatch watch;
    private final String name;

    WatchedRecordListener(MessageListener<K, V> delegate, SendWatch watch, String name) {
        super(delegate);
        this.watch = watch;
        this.name = name;
    }

    @Override
    public void onMessage(
            ConsumerRecord<K, V> record, @Nullable Acknowledgment acknowledgment, @Nullable Consumer<?, ?> consumer) {
        watch.run(name, () -> delegate.onMessage(record, acknowledgment, consumer));
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
