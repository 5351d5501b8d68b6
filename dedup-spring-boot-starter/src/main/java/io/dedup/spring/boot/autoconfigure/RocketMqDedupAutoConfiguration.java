package io.dedup.spring.boot.autoconfigure;

import io.dedup.rocketmq.RocketMqDedup;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.id.ExtractorBeans;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.ListenerPlanner;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import io.dedup.spring.boot.internal.rocketmq.RocketMqConsumerCheck;
import io.dedup.spring.boot.internal.rocketmq.RocketMqListenerPostProcessor;
import io.dedup.spring.boot.internal.rocketmq.RocketMqListeners;
import io.dedup.spring.boot.internal.rocketmq.RocketMqTopicPreparation;
import io.dedup.spring.boot.internal.store.DedupStores;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Deduplicates message listener beans of push consumers, where the application has RocketMQ's client. */
@AutoConfiguration(after = DedupAutoConfiguration.class)
@ConditionalOnClass({MessageListener.class, RocketMqDedup.class})
@ConditionalOnBooleanProperty(name = "dedup.enabled", matchIfMissing = true)
final class RocketMqDedupAutoConfiguration {
    private static final String NEWEST_CLASS = "org.apache.rocketmq.client.apis.consumer.LitePushConsumer";

    @Bean
    RocketMqListeners dedupRocketMqListeners(
            TopicPlans plans,
            ListenerPlanner planner,
            DeduplicatorRegistry registry,
            DedupStores stores,
            ConfigurableListableBeanFactory beans,
            RocketMqListenerPostProcessor seen) {
        return new RocketMqListeners(
                plans, planner, registry, stores, new ExtractorBeans(beans), seen::groupsOfConsumers);
    }

    /** Static: it is asked about every bean. */
    @Bean
    static RocketMqListenerPostProcessor dedupRocketMqListenerPostProcessor(
            ConfigurableListableBeanFactory beans,
            Environment environment,
            ObjectProvider<RocketMqListeners> listeners,
            ObjectProvider<KnownTopics> known) {
        requireClient(beans.getBeanClassLoader());
        return new RocketMqListenerPostProcessor(beans, environment, listeners, known);
    }

    /** Other starters bring older clients, which lack classes that the adapter uses. */
    private static void requireClient(@Nullable ClassLoader classes) {
        if (!ClassUtils.isPresent(NEWEST_CLASS, classes)) {
            throw new DedupConfigurationException(
                    "The RocketMQ client on the class path is older than 5.2, which dedup-rocketmq needs: it has no "
                            + NEWEST_CLASS + ". rocketmq-v5-client-spring-boot-starter brings such a client.",
                    "Import dedup-bom, which manages org.apache.rocketmq:rocketmq-client-java, or depend on version 5.2.0 of it."
                            + " To use the application without deduplication, set dedup.enabled: false.");
        }
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
