package io.dedup.kafka.internal.share;

import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.internal.container.SelfDecorating;
import io.dedup.kafka.internal.deferral.Deferrals;
import io.dedup.kafka.internal.handler.HandlerCalls;
import io.dedup.kafka.internal.handler.Invocations;
import io.dedup.kafka.internal.record.RecordDeliveries;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnStoreFailure;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.springframework.kafka.core.ShareConsumerFactory;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.GenericMessageListener;
import org.springframework.kafka.listener.ShareConsumerRecordRecoverer;
import org.springframework.kafka.listener.ShareKafkaMessageListenerContainer;

/**
 * A share container whose listener runs once per message ID. It is a subclass because a container gets its recoverer
 * from itself only, and a deferral must be handled there to keep the record from being rejected.
 */
public final class DedupShareContainer<K, V> extends ShareKafkaMessageListenerContainer<K, V>
        implements SelfDecorating {
    private final DedupAdapter engine;
    private final RecordDeliveries deliveries;
    private final HoldingShareConsumerFactory<K, V> consumers;
    private final Function<Map<String, Object>, Admin> adminClient;

    /** @param adminClient makes an admin client with the settings of the consumers */
    public DedupShareContainer(
            ShareConsumerFactory<K, V> consumers,
            ContainerProperties properties,
            DedupAdapter engine,
            RecordDeliveries deliveries,
            Function<Map<String, Object>, Admin> adminClient) {
        this(new HoldingShareConsumerFactory<>(consumers), properties, engine, deliveries, adminClient);
    }

    private DedupShareContainer(
            HoldingShareConsumerFactory<K, V> consumers,
            ContainerProperties properties,
            DedupAdapter engine,
            RecordDeliveries deliveries,
            Function<Map<String, Object>, Admin> adminClient) {
        super(consumers, properties);
        this.engine = engine;
        this.deliveries = deliveries;
        this.consumers = consumers;
        this.adminClient = adminClient;
    }

    @Override
    protected void doStart() {
        ContainerProperties properties = getContainerProperties();
        Object listener = properties.getMessageListener();
        if (!isRunning()) { // at each start: properties may have changed
            Object own = listener instanceof DedupShareListener<?, ?> wrapper ? wrapper.getDelegate() : listener;
            new ShareStartCheck(this, own, engine, deliveries).requireSafe();
        }
        if (!isRunning()
                && listener instanceof GenericMessageListener<?> handler
                && !(listener instanceof DedupShareListener<?, ?>)) {
            Invocations invocations = new Invocations((failure, record, taker) -> {}); // nobody takes it
            boolean unused = HandlerCalls.wrap(handler, invocations); // makes the method wait for its work
            LastDeliveries last = new LastDeliveries((record, deferral) ->
                    super.getShareConsumerRecordRecoverer().recover(record, deferral));
            consumers.use(engine, last, waitingForStore(properties));
            last.read(adminClient, consumers.getConfigurationProperties(), String.valueOf(getGroupId()));
            properties.setMessageListener(new DedupShareListener<K, V>(handler, engine, deliveries, invocations));
        }
        super.doStart();
    }

    /** Of the topics whose messages are deferred while the store doesn't answer. */
    private Set<DedupMode> waitingForStore(ContainerProperties properties) {
        String[] topics = properties.getTopics();
        return Stream.of(topics == null ? new String[0] : topics)
                .map(topic -> deliveries.topic(topic).policy())
                .filter(policy -> policy.onStoreFailure() != OnStoreFailure.PROCESS)
                .map(DedupPolicy::mode)
                .collect(Collectors.toSet());
    }

    @Override
    protected ShareConsumerRecordRecoverer getShareConsumerRecordRecoverer() {
        ShareConsumerRecordRecoverer recoverer = super.getShareConsumerRecordRecoverer();
        return (record, failure) -> Deferrals.in(failure) == null
                ? recoverer.recover(record, failure)
                : AcknowledgeType.RELEASE; // its consumer keeps the record instead
    }
}
