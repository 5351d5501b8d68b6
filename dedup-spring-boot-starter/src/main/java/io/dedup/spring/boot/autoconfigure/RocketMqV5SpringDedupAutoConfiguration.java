package io.dedup.spring.boot.autoconfigure;

import io.dedup.rocketmq.RocketMqDedup;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.ListenerPlanner;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import io.dedup.spring.boot.internal.rocketmq.RocketMqListeners;
import io.dedup.spring.boot.internal.rocketmqclients.ReceiveCheck;
import io.dedup.spring.boot.internal.rocketmqv5spring.V5ContainerPostProcessor;
import org.apache.rocketmq.client.annotation.ExtConsumerResetConfiguration;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumerBuilder;
import org.apache.rocketmq.client.support.DefaultListenerContainer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Deduplicates {@code @RocketMQMessageListener}s of the newer client's Spring Boot starter, where the application has it. */
@AutoConfiguration(after = RocketMqDedupAutoConfiguration.class)
@ConditionalOnClass({DefaultListenerContainer.class, RocketMqDedup.class})
@ConditionalOnBooleanProperty(name = "dedup.enabled", matchIfMissing = true)
final class RocketMqV5SpringDedupAutoConfiguration {
    /** Static: it is asked about every bean. */
    @Bean
    static V5ContainerPostProcessor dedupRocketMqV5SpringContainerPostProcessor(
            ConfigurableListableBeanFactory beans,
            ApplicationContext context,
            ObjectProvider<RocketMqListeners> listeners,
            ObjectProvider<KnownTopics> known,
            ObjectProvider<ListenerPlanner> planner) {
        return new V5ContainerPostProcessor(beans, context, listeners, known, planner);
    }

    @Bean
    ReceiveCheck dedupRocketMqV5SpringSimpleConsumerCheck(
            TopicPlans plans, KnownTopics known, ConfigurableListableBeanFactory beans, Environment environment) {
        return new ReceiveCheck(
                plans,
                known,
                beans,
                environment,
                new ReceiveCheck.Kind<>(
                        "simple-consumer",
                        "RocketMQClientTemplate",
                        "a @RocketMQMessageListener or a SimpleConsumerLoop",
                        SimpleConsumerBuilder.class,
                        ExtConsumerResetConfiguration.class,
                        ExtConsumerResetConfiguration::topic));
    }
}
