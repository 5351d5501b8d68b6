package io.dedup.spring.boot.autoconfigure;

import io.dedup.rocketmq.remoting.RemotingDedup;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.id.ExtractorBeans;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.ListenerPlanner;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import io.dedup.spring.boot.internal.rocketmqclients.ReceiveCheck;
import io.dedup.spring.boot.internal.rocketmqspring.RemotingContainerPostProcessor;
import io.dedup.spring.boot.internal.rocketmqspring.RemotingListeners;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.spring.annotation.ExtRocketMQConsumerConfiguration;
import org.apache.rocketmq.spring.support.DefaultRocketMQListenerContainer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Deduplicates {@code @RocketMQMessageListener}s of rocketmq-spring, where the application has it. */
@AutoConfiguration(after = DedupAutoConfiguration.class)
@ConditionalOnClass({DefaultRocketMQListenerContainer.class, RemotingDedup.class})
@ConditionalOnBooleanProperty(name = "dedup.enabled", matchIfMissing = true)
final class RocketMqSpringDedupAutoConfiguration {
    @Bean
    RemotingListeners dedupRocketMqSpringListeners(
            ListenerPlanner planner,
            DeduplicatorRegistry registry,
            KnownTopics known,
            ConfigurableListableBeanFactory beans,
            ApplicationContext context) {
        return new RemotingListeners(planner, registry, new ExtractorBeans(beans), known, context);
    }

    /** Static: it is asked about every bean. */
    @Bean
    static RemotingContainerPostProcessor dedupRocketMqSpringContainerPostProcessor(
            ConfigurableListableBeanFactory beans, ObjectProvider<RemotingListeners> listeners) {
        return new RemotingContainerPostProcessor(beans, listeners);
    }

    @Bean
    ReceiveCheck dedupRocketMqSpringPullConsumerCheck(
            TopicPlans plans, KnownTopics known, ConfigurableListableBeanFactory beans, Environment environment) {
        return new ReceiveCheck(
                plans,
                known,
                beans,
                environment,
                new ReceiveCheck.Kind<>(
                        "pull-consumer",
                        "RocketMQTemplate",
                        "a @RocketMQMessageListener",
                        DefaultLitePullConsumer.class,
                        ExtRocketMQConsumerConfiguration.class,
                        ExtRocketMQConsumerConfiguration::topic));
    }
}
