package io.dedup.kafka.internal.share;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.AcknowledgementCommitCallback;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.jspecify.annotations.Nullable;

/** A share consumer that several threads may use. They wait for each other; the client itself would throw. */
abstract class GuardedShareConsumer<K, V> implements ShareConsumer<K, V> {
    volatile ShareConsumer<K, V> client;
    final ReentrantLock mutex = new ReentrantLock();

    GuardedShareConsumer(ShareConsumer<K, V> client) {
        this.client = client;
    }

    final <R extends @Nullable Object> R locked(Supplier<R> call) {
        mutex.lock();
        try {
            return call.get();
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void acknowledge(ConsumerRecord<K, V> record) {
        acknowledge(record, AcknowledgeType.ACCEPT);
    }

    @Override
    public void acknowledge(String topic, int partition, long offset, AcknowledgeType type) {
        locked(() -> {
            client.acknowledge(topic, partition, offset, type);
            return null;
        });
    }

    @Override
    public Map<TopicIdPartition, Optional<KafkaException>> commitSync() {
        return locked(client::commitSync);
    }

    @Override
    public Map<TopicIdPartition, Optional<KafkaException>> commitSync(Duration timeout) {
        return locked(() -> client.commitSync(timeout));
    }

    @Override
    public void commitAsync() {
        locked(() -> {
            client.commitAsync();
            return null;
        });
    }

    @Override
    public Set<String> subscription() {
        return locked(client::subscription);
    }

    @Override
    public void subscribe(Collection<String> topics) {
        locked(() -> {
            client.subscribe(topics);
            return null;
        });
    }

    @Override
    public void unsubscribe() {
        locked(() -> {
            client.unsubscribe();
            return null;
        });
    }

    @Override
    public void setAcknowledgementCommitCallback(AcknowledgementCommitCallback callback) {
        locked(() -> {
            client.setAcknowledgementCommitCallback(callback);
            return null;
        });
    }

    @Override
    public Uuid clientInstanceId(Duration timeout) {
        return locked(() -> client.clientInstanceId(timeout));
    }

    @Override
    public Optional<Integer> acquisitionLockTimeoutMs() {
        return locked(client::acquisitionLockTimeoutMs);
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        return client.metrics();
    }

    @Override
    public void registerMetricForSubscription(KafkaMetric metric) {
        client.registerMetricForSubscription(metric);
    }

    @Override
    public void unregisterMetricFromSubscription(KafkaMetric metric) {
        client.unregisterMetricFromSubscription(metric);
    }

    @Override
    public void wakeup() {
        client.wakeup();
    }
}
