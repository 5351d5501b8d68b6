package io.dedup.spring.boot.internal.rocketmqv5spring;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.ListenerProperties;
import io.dedup.spring.boot.internal.check.StartCheck;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.ListenerSpec;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.rocketmq.client.annotation.ExtConsumerResetConfiguration;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumerBuilder;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;

/**
 * Refuses simple consumers of configured topics. Their messages are what {@code RocketMQClientTemplate.receive} returns, so that no
 * listener can be decorated.
 */
public final class SimpleConsumerCheck implements StartCheck, SmartInitializingSingleton {
    private static final String TOPIC = "rocketmq.simple-consumer.topic";

    private final TopicPlans plans;
    private final KnownTopics known;
    private final ConfigurableListableBeanFactory beans;
    private final Environment environment;

    public SimpleConsumerCheck(
            TopicPlans plans, KnownTopics known, ConfigurableListableBeanFactory beans, Environment environment) {
        this.plans = plans;
        this.known = known;
        this.beans = beans;
        this.environment = environment;
    }

    /** Before the checks, one of which would report the topics' entries as unused. */
    @Override
    public void afterSingletonsInstantiated() {
        topics().forEach((bean, topic) ->
                known.add(new ListenerSpec(bean, null, topic.isEmpty() ? Set.of() : Set.of(topic), null, null)));
    }

    /**
     * None.
     *
     * @throws DedupConfigurationException when a simple consumer reads a configured topic
     */
    @Override
    public List<Warning> warnings(List<DeduplicatedListener> served) {
        topics().forEach(this::require);
        return List.of();
    }

    /** By bean. */
    private Map<String, String> topics() {
        Map<String, String> topics = new LinkedHashMap<>();
        for (String bean : beans.getBeanNamesForType(SimpleConsumerBuilder.class, false, false)) {
            topics.put(bean, environment.getProperty(TOPIC, ""));
        }
        for (String bean : beans.getBeanNamesForAnnotation(ExtConsumerResetConfiguration.class)) {
            ExtConsumerResetConfiguration annotation =
                    beans.findAnnotationOnBean(bean, ExtConsumerResetConfiguration.class);
            String topic = annotation == null ? "" : environment.resolvePlaceholders(annotation.topic());
            topics.put(bean, topic.isEmpty() ? environment.getProperty(TOPIC, "") : topic);
        }
        return topics;
    }

    private void require(String bean, String topic) {
        ListenerProperties entry = plans.listener(bean);
        boolean off = entry != null && Boolean.FALSE.equals(entry.getEnabled());
        if (!off && !topic.isEmpty() && plans.plan(topic, List.of()) != null) {
            throw new DedupConfigurationException(
                    "RocketMQ simple consumer " + bean + " reads topic " + topic
                            + ", which dedup.topics configures, but RocketMQClientTemplate.receive returns its messages to your"
                            + " code, where they can't be deduplicated.",
                    "Read the topic with a @RocketMQMessageListener or a SimpleConsumerLoop, or call Deduplicator.execute for"
                            + " each message, and set dedup.listeners." + bean + ".enabled: false.");
        }
    }
}
