package io.dedup.spring.boot.internal.rocketmqspring;

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
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.spring.annotation.ExtRocketMQConsumerConfiguration;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;

/**
 * Refuses pull consumers of configured topics. Their messages are what {@code RocketMQTemplate.receive} returns, so that no listener can
 * be decorated.
 */
public final class PullConsumerCheck implements StartCheck, SmartInitializingSingleton {
    private static final String TOPIC = "rocketmq.pull-consumer.topic";

    private final TopicPlans plans;
    private final KnownTopics known;
    private final ConfigurableListableBeanFactory beans;
    private final Environment environment;

    public PullConsumerCheck(
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
     * @throws DedupConfigurationException when a pull consumer reads a configured topic
     */
    @Override
    public List<Warning> warnings(List<DeduplicatedListener> served) {
        topics().forEach(this::require);
        return List.of();
    }

    /** By bean. */
    private Map<String, String> topics() {
        Map<String, String> topics = new LinkedHashMap<>();
        for (String bean : beans.getBeanNamesForType(DefaultLitePullConsumer.class, false, false)) {
            topics.put(bean, environment.getProperty(TOPIC, ""));
        }
        for (String bean : beans.getBeanNamesForAnnotation(ExtRocketMQConsumerConfiguration.class)) {
            ExtRocketMQConsumerConfiguration annotation =
                    beans.findAnnotationOnBean(bean, ExtRocketMQConsumerConfiguration.class);
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
                    "RocketMQ pull consumer " + bean + " reads topic " + topic
                            + ", which dedup.topics configures, but RocketMQTemplate.receive returns its messages to your code,"
                            + " where they can't be deduplicated.",
                    "Read the topic with a @RocketMQMessageListener, or call Deduplicator.execute for each message and set"
                            + " dedup.listeners." + bean + ".enabled: false.");
        }
    }
}
