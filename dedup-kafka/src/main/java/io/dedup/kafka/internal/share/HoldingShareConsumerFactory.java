package io.dedup.kafka.internal.share;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.ShareConsumerFactory;

/** Creates consumers that keep their records until they are acknowledged. Thread-safe if the delegate is. */
final class HoldingShareConsumerFactory<K, V> implements ShareConsumerFactory<K, V> {
    private final ShareConsumerFactory<K, V> delegate;

    HoldingShareConsumerFactory(ShareConsumerFactory<K, V> delegate) {
        this.delegate = delegate;
    }

    @Override
    public ShareConsumer<K, V> createShareConsumer(@Nullable String groupId, @Nullable String clientId) {
        return holding(delegate.createShareConsumer(groupId, clientId), clientId);
    }

    @Override
    public ShareConsumer<K, V> createShareConsumer(
            @Nullable String groupId, @Nullable String clientId, Map<String, Object> overrides) {
        return holding(delegate.createShareConsumer(groupId, clientId, overrides), clientId);
    }

    private static <K, V> ShareConsumer<K, V> holding(ShareConsumer<K, V> consumer, @Nullable String clientId) {
        return new HoldingShareConsumer<>(consumer, "share consumer " + clientId);
    }

    @Override
    public Map<String, Object> getConfigurationProperties() {
        return delegate.getConfigurationProperties();
    }

    @Override
    public @Nullable Deserializer<K> getKeyDeserializer() {
        return delegate.getKeyDeserializer();
    }

    @Override
    public @Nullable Deserializer<V> getValueDeserializer() {
        return delegate.getValueDeserializer();
    }

    @Override
    public boolean removeListener(Listener<K, V> listener) {
        return delegate.removeListener(listener);
    }

    @Override
    public void addListener(int index, Listener<K, V> listener) {
        delegate.addListener(index, listener);
    }

    @Override
    public void addListener(Listener<K, V> listener) {
        delegate.addListener(listener);
    }

    @Override
    public List<Listener<K, V>> getListeners() {
        return delegate.getListeners();
    }
}
