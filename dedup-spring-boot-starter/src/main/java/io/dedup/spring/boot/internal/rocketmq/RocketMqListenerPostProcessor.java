package io.dedup.spring.boot.internal.rocketmq;

import io.dedup.spring.boot.Deduplicated;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.ListenerSpec;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.apache.rocketmq.client.apis.consumer.LitePushConsumer;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.consumer.PushConsumer;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Decorates message listener beans whose consumer group is configured. A listener doesn't know its group, and the group is what
 * distinguishes consumers, so a bean without a configured group stays as it is. Remembers the push consumers for
 * {@link RocketMqConsumerCheck}, and makes Spring close consumers before the deduplicating listeners.
 */
public final class RocketMqListenerPostProcessor implements DestructionAwareBeanPostProcessor {
    /** The name that {@code RocketMqDedupAutoConfiguration} gives the bean of {@link RocketMqListeners}. */
    private static final String LISTENERS = "dedupRocketMqListeners";

    private final ConfigurableListableBeanFactory beans;
    private final Environment environment;
    private final ObjectProvider<RocketMqListeners> listeners;
    private final ObjectProvider<KnownTopics> known;
    private final List<PerTopicMessageListener> decorated = new CopyOnWriteArrayList<>();
    private final Map<String, PushConsumer> consumers = new ConcurrentHashMap<>();
    private final Set<String> groupsOfConsumers = ConcurrentHashMap.newKeySet();
    private volatile @Nullable RocketMqListeners asked;

    public RocketMqListenerPostProcessor(
            ConfigurableListableBeanFactory beans,
            Environment environment,
            ObjectProvider<RocketMqListeners> listeners,
            ObjectProvider<KnownTopics> known) {
        this.beans = beans;
        this.environment = environment;
        this.listeners = listeners;
        this.known = known;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof PushConsumer || bean instanceof LitePushConsumer || bean instanceof SimpleConsumer) {
            closeBeforeListeners(name);
        }
        if (bean instanceof LitePushConsumer consumer) {
            groupsOfConsumers.add(consumer.getConsumerGroup());
        }
        if (bean instanceof PushConsumer consumer) {
            groupsOfConsumers.add(consumer.getConsumerGroup());
            consumers.put(name, consumer);
            Set<String> topics = consumer.getSubscriptionExpressions().keySet();
            known.getObject().add(new ListenerSpec(name, consumer.getConsumerGroup(), topics, null));
            return bean;
        }
        if (!(bean instanceof MessageListener listener)
                || bean instanceof PerTopicMessageListener
                || AnnotatedListeners.isOne(bean)) {
            return bean;
        }
        known.getObject().addListener(name);
        Deduplicated annotation =
                beans.containsBeanDefinition(name) ? beans.findAnnotationOnBean(name, Deduplicated.class) : null;
        String group = group(name, annotation);
        if (group.isEmpty()) {
            return bean;
        }
        PerTopicMessageListener decorator = new PerTopicMessageListener(
                name,
                group,
                topic -> listeners().of(new ListenerSpec(name, group, Set.of(topic), annotation), listener));
        decorated.add(decorator);
        closeBeforeListeners(name); // and so is whatever it is injected into
        return decorator;
    }

    /** Spring closes a bean after all that depend on it, and otherwise in no order that can be relied on. */
    private void closeBeforeListeners(String name) {
        beans.registerDependentBean(LISTENERS, name);
    }

    private RocketMqListeners listeners() {
        RocketMqListeners found = listeners.getObject();
        asked = found;
        return found;
    }

    @Override
    public boolean requiresDestruction(Object bean) {
        return bean instanceof PushConsumer || bean instanceof LitePushConsumer;
    }

    /** The client waits for its handlers without a limit. */
    @Override
    public void postProcessBeforeDestruction(Object bean, String name) {
        RocketMqListeners waiting = asked;
        if (waiting == null) {
            return; // no listener has asked for it, and at this time it cannot be made
        }
        if (bean instanceof PushConsumer consumer) {
            waiting.endWaits(consumer.getConsumerGroup()::equals);
        } else if (bean instanceof LitePushConsumer consumer) {
            waiting.endWaits(consumer.getConsumerGroup()::equals);
        }
    }

    /** The groups of consumers that are beans, of which {@link #postProcessBeforeDestruction} hears. */
    public Set<String> groupsOfConsumers() {
        return Set.copyOf(groupsOfConsumers);
    }

    /** What it stands in front of. */
    List<PerTopicMessageListener> decorated() {
        return List.copyOf(decorated);
    }

    /** Of the listeners that it stands in front of. */
    Set<String> groups() {
        return decorated.stream().map(PerTopicMessageListener::group).collect(Collectors.toSet());
    }

    /** By bean name. */
    Map<String, PushConsumer> consumers() {
        return Map.copyOf(consumers);
    }

    /**
     * Out of the environment, as the properties' bean mustn't be made before the beans that are looked at here; and by the
     * binder, so that a property counts however it is written.
     */
    private String group(String name, @Nullable Deduplicated annotation) {
        String configured = "";
        for (Map.Entry<String, String> entry : Binder.get(environment)
                .bind("dedup.listeners", Bindable.mapOf(String.class, String.class))
                .orElse(Map.of())
                .entrySet()) {
            String property = entry.getKey();
            int dot = property.lastIndexOf('.');
            if (dot > 0
                    && property.substring(0, dot).equals(name)
                    && property.substring(dot + 1).replace("-", "").equalsIgnoreCase("consumergroup")) {
                configured = entry.getValue();
            }
        }
        return configured.isEmpty() && annotation != null
                ? environment.resolveRequiredPlaceholders(annotation.consumerGroup())
                : configured;
    }
}
