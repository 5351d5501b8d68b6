package io.dedup.kafka.internal.share;

import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.internal.record.RecordDeliveries;
import java.util.Collection;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.springframework.kafka.config.KafkaListenerEndpoint;
import org.springframework.kafka.config.ShareKafkaListenerContainerFactory;
import org.springframework.kafka.core.ShareConsumerFactory;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ShareKafkaMessageListenerContainer;
import org.springframework.util.Assert;

/** Creates containers of share groups for annotated methods. */
public final class DedupShareContainerFactory<K, V> extends ShareKafkaListenerContainerFactory<K, V> {
    private final ShareConsumerFactory<K, V> consumers;
    private final DedupAdapter engine;
    private final RecordDeliveries deliveries;
    private final Function<Map<String, Object>, Admin> adminClient;

    /** @param adminClient as in {@link DedupShareContainer} */
    public DedupShareContainerFactory(
            ShareConsumerFactory<K, V> consumers,
            DedupAdapter engine,
            RecordDeliveries deliveries,
            Function<Map<String, Object>, Admin> adminClient) {
        super(consumers);
        this.consumers = consumers;
        this.engine = engine;
        this.deliveries = deliveries;
        this.adminClient = adminClient;
    }

    @Override
    protected ShareKafkaMessageListenerContainer<K, V> createContainerInstance(KafkaListenerEndpoint endpoint) {
        Collection<String> topics = endpoint.getTopics();
        Assert.state(topics != null, "'topics' must not be null");
        return new DedupShareContainer<>(
                consumers, new ContainerProperties(topics.toArray(new String[0])), engine, deliveries, adminClient);
    }
}
