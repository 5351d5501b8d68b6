package io.dedup.spring.boot.internal.rocketmqclients;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.ListenerProperties;
import io.dedup.spring.boot.internal.check.RiskCheck;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.ListenerSpec;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import io.dedup.spring.boot.internal.text.YamlPath;
import java.lang.annotation.Annotation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;

/**
 * Refuses consumers of configured topics whose messages are what a template's {@code receive} returns, so that no listener can be
 * decorated.
 */
public final class ReceiveCheck implements RiskCheck, SmartInitializingSingleton {
    private final TopicPlans plans;
    private final KnownTopics known;
    private final ConfigurableListableBeanFactory beans;
    private final Environment environment;
    private final Kind<?> kind;

    public ReceiveCheck(
            TopicPlans plans,
            KnownTopics known,
            ConfigurableListableBeanFactory beans,
            Environment environment,
            Kind<?> kind) {
        this.plans = plans;
        this.known = known;
        this.beans = beans;
        this.environment = environment;
        this.kind = kind;
    }

    /**
     * What one of RocketMQ's starters makes for its template.
     *
     * @param name in the properties, such as {@code pull-consumer}
     * @param template whose {@code receive} returns the messages
     * @param instead what may read the topic
     * @param type of the beans that read the topic of the properties
     * @param annotation of templates that have a consumer of their own
     * @param topic of an annotation; that of the properties where it is empty
     */
    public record Kind<A extends Annotation>(
            String name,
            String template,
            String instead,
            Class<?> type,
            Class<A> annotation,
            Function<A, String> topic) {

        /** By bean. */
        Map<String, String> topics(ConfigurableListableBeanFactory beans, Environment environment) {
            String usual = environment.getProperty("rocketmq." + name + ".topic", "");
            Map<String, String> topics = new LinkedHashMap<>();
            for (String bean : beans.getBeanNamesForType(type, false, false)) {
                topics.put(bean, usual);
            }
            for (String bean : beans.getBeanNamesForAnnotation(annotation)) {
                A own = beans.findAnnotationOnBean(bean, annotation);
                String named = own == null ? "" : environment.resolvePlaceholders(topic.apply(own));
                topics.put(bean, named.isEmpty() ? usual : named);
            }
            return topics;
        }
    }

    /** Before the checks, one of which would report the topics' entries as unused. */
    @Override
    public void afterSingletonsInstantiated() {
        kind.topics(beans, environment)
                .forEach((bean, topic) ->
                        known.add(new ListenerSpec(bean, null, topic.isEmpty() ? Set.of() : Set.of(topic), null)));
    }

    /**
     * None.
     *
     * @throws DedupConfigurationException when such a consumer reads a configured topic
     */
    @Override
    public List<Warning> warnings(List<DeduplicatedListener> served) {
        kind.topics(beans, environment).forEach(this::require);
        return List.of();
    }

    private void require(String bean, String topic) {
        ListenerProperties entry = plans.listener(bean);
        boolean off = entry != null && Boolean.FALSE.equals(entry.getEnabled());
        if (!off && !topic.isEmpty() && plans.plan(topic, List.of()) != null) {
            throw new DedupConfigurationException(
                    "RocketMQ " + kind.name().replace('-', ' ') + " " + bean + " reads topic " + topic
                            + ", which dedup.topics configures, but " + kind.template()
                            + ".receive returns its messages to your code, where they cannot be deduplicated.",
                    "Read the topic with " + kind.instead()
                            + ", or call Deduplicator.execute for each message, and set " + YamlPath.listener(bean)
                            + ".enabled: false.");
        }
    }
}
