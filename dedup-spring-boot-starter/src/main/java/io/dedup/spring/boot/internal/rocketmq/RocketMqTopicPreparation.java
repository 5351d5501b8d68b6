package io.dedup.spring.boot.internal.rocketmq;

import io.dedup.spring.boot.ListenerProperties;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import io.dedup.spring.boot.internal.store.DedupStores;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Decides at start for the known topics of RocketMQ's listeners. A listener learns of a topic with its first message, but the push
 * consumer beans of its group name their topics. So invalid configuration, or a store that doesn't answer, fails the start as with
 * Kafka's listeners, and not every delivery until the broker gives up on the messages.
 */
public final class RocketMqTopicPreparation implements SmartInitializingSingleton {
    private final TopicPlans plans;
    private final RocketMqListenerPostProcessor seen;
    private final KnownTopics known;
    private final ObjectProvider<DedupStores> stores;

    public RocketMqTopicPreparation(
            TopicPlans plans,
            RocketMqListenerPostProcessor seen,
            KnownTopics known,
            ObjectProvider<DedupStores> stores) {
        this.plans = plans;
        this.known = known;
        this.seen = seen;
        this.stores = stores;
    }

    @Override
    public void afterSingletonsInstantiated() {
        seen.decorated().forEach(this::prepare);
    }

    private void prepare(PerTopicMessageListener listener) {
        ListenerProperties entry = plans.listener(listener.name());
        if (entry != null && Boolean.FALSE.equals(entry.getEnabled())) {
            return;
        }
        List<String> topics = seen.consumers().values().stream()
                .filter(consumer -> consumer.getConsumerGroup().equals(listener.group()))
                .flatMap(consumer -> consumer.getSubscriptionExpressions().keySet().stream())
                .toList();
        if (topics.isEmpty()) { // its consumer isn't a bean, so its topics are only known with their first messages
            known.expectMoreTopics();
            var unused = stores.getObject().store();
        }
        topics.forEach(listener::prepare);
    }
}
