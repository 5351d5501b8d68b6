package io.dedup.kafka.internal.share;

import io.dedup.adapter.DedupAdapter;
import io.dedup.policy.DedupMode;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.ShareConsumerFactory;

/** Creates consumers that keep their records until they are acknowledged. Thread-safe if the delegate is. */
final class HoldingShareConsumerFactory<K, V> implements ShareConsumerFactory<K, V> {
    private record Guards(DedupAdapter engine, LastDeliveries last, Set<DedupMode> modes) {}

    private final ShareConsumerFactory<K, V> delegate;
    private volatile @Nullable Guards guards;

    HoldingShareConsumerFactory(ShareConsumerFactory<K, V> delegate) {
        this.delegate = delegate;
    }

    /**
     * Called before the container starts.
     *
     * @param modes of the topics whose messages are deferred while the store doesn't answer
     */
    void use(DedupAdapter engine, LastDeliveries last, Set<DedupMode> modes) {
        guards = new Guards(engine, last, modes);
    }

    @Override
    public ShareConsumer<K, V> createShareConsumer(@Nullable String groupId, @Nullable String clientId) {
        return holding(() -> delegate.createShareConsumer(groupId, clientId), clientId);
    }

    @Override
    public ShareConsumer<K, V> createShareConsumer(
            @Nullable String groupId, @Nullable String clientId, Map<String, Object> overrides) {
        return holding(() -> delegate.createShareConsumer(groupId, clientId, overrides), clientId);
    }

    private ShareConsumer<K, V> holding(Supplier<ShareConsumer<K, V>> clients, @Nullable String clientId) {
        Guards all = Objects.requireNonNull(guards, "the container hasn't been started");
        String name = "share consumer " + clientId;
        return new HoldingShareConsumer<>(clients, name, new StoreGate(all.engine(), name, all.modes()), all.last());
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
