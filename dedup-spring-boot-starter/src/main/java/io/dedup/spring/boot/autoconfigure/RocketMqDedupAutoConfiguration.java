package io.dedup.spring.boot.autoconfigure;

import io.dedup.rocketmq.RocketMqDedup;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.id.ExtractorBeans;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.ListenerPlanner;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import io.dedup.spring.boot.internal.rocketmq.RocketMqConsumerCheck;
import io.dedup.spring.boot.internal.rocketmq.RocketMqIds;
import io.dedup.spring.boot.internal.rocketmq.RocketMqListenerPostProcessor;
import io.dedup.spring.boot.internal.rocketmq.RocketMqListeners;
import io.dedup.spring.boot.internal.rocketmq.RocketMqTopicPreparation;
import io.dedup.spring.boot.internal.store.DedupStores;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Deduplicates message listener beans of push consumers, where the application has RocketMQ's client. */
@AutoConfiguration(after = DedupAutoConfiguration.class)
@ConditionalOnClass({MessageListener.class, RocketMqDedup.class})
@ConditionalOnBooleanProperty(name = "dedup.enabled", matchIfMissing = true)
final class RocketMqDedupAutoConfiguration {
    @Bean
    RocketMqListeners dedupRocketMqListeners(
            TopicPlans plans,
            ListenerPlanner planner,
            DeduplicatorRegistry registry,
            DedupStores stores,
            ConfigurableListableBeanFactory beans,
            RocketMqListenerPostProcessor seen) {
        return new RocketMqListeners(
                plans, planner, registry, stores, new RocketMqIds(new ExtractorBeans(beans)), seen::groupsOfConsumers);
    }

    /** Static: it is asked about every bean. */
    @Bean
    static RocketMqListenerPostProcessor dedupRocketMqListenerPostProcessor(
            ConfigurableListableBeanFactory beans,
            Environment environment,
            ObjectProvider<RocketMqListeners> listeners,
            ObjectProvider<KnownTopics> known) {
        return new RocketMqListenerPostProcessor(beans, environment, listeners, known);
    }

    @Bean
    RocketMqTopicPreparation dedupRocketMqTopicPreparation(
            TopicPlans plans,
            RocketMqListenerPostProcessor seen,
            KnownTopics known,
            ObjectProvider<DedupStores> stores) {
        return new RocketMqTopicPreparation(plans, seen, known, stores);
    }

    @Bean
    RocketMqConsumerCheck dedupRocketMqConsumerCheck(TopicPlans plans, RocketMqListenerPostProcessor seen) {
        return new RocketMqConsumerCheck(plans, seen);
    }
}
