package io.dedup.spring.boot.internal.rocketmqv5spring;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.Deduplicated;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.ListenerPlanner;
import io.dedup.spring.boot.internal.plan.ListenerSpec;
import io.dedup.spring.boot.internal.rocketmq.RocketMqListeners;
import io.dedup.spring.boot.internal.rocketmqclients.ListenerBeans;
import io.dedup.spring.boot.internal.text.YamlPath;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.client.annotation.RocketMQMessageListener;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.apache.rocketmq.client.core.RocketMQListener;
import org.apache.rocketmq.client.support.DefaultListenerContainer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Decorates the listeners of the containers of the newer client's Spring Boot starter. A container is a bean that is made when its
 * listener's bean has been made, at start or later. As it is initialized, it gives its listener to the builder of its consumer, and it
 * builds the consumer as it starts.
 */
public final class V5ContainerPostProcessor implements BeanPostProcessor, ApplicationListener<ContextClosedEvent> {
    /** The name that {@code RocketMqDedupAutoConfiguration} gives the bean of {@link RocketMqListeners}. */
    private static final String LISTENERS = "dedupRocketMqListeners";

    /** By name: releases up to 2.3.1 don't have it. */
    private static final String PREPARES = "org.apache.rocketmq.client.core.RocketMQPushConsumerLifecycleListener";

    private static final Method CONSUME = ClassUtils.getMethod(RocketMQListener.class, "consume", MessageView.class);

    private final ConfigurableListableBeanFactory beans;
    private final ApplicationContext context;
    private final ObjectProvider<RocketMqListeners> listeners;
    private final ObjectProvider<KnownTopics> known;
    private final ObjectProvider<ListenerPlanner> planner;
    private final ListenerBeans listenerBeans;
    private final Set<String> groups = ConcurrentHashMap.newKeySet();

    /**
     * For the containers of an application.
     *
     * @param context whose end limits the waits of messages
     */
    public V5ContainerPostProcessor(
            ConfigurableListableBeanFactory beans,
            ApplicationContext context,
            ObjectProvider<RocketMqListeners> listeners,
            ObjectProvider<KnownTopics> known,
            ObjectProvider<ListenerPlanner> planner) {
        this.beans = beans;
        this.listenerBeans = new ListenerBeans(beans);
        this.context = context;
        this.listeners = listeners;
        this.known = known;
        this.planner = planner;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (AnnotationUtils.findAnnotation(bean.getClass(), RocketMQMessageListener.class) != null) {
            listenerBeans.add(bean, name);
        }
        return bean;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof DefaultListenerContainer container) {
            beans.registerDependentBean(LISTENERS, name); // Spring closes the container first
            decorate(container, listenerBeans.nameOf(container.getMessageListener(), name));
        }
        return bean;
    }

    private void decorate(DefaultListenerContainer container, String name) {
        RocketMQListener listener = container.getMessageListener();
        Deduplicated annotation = listenerBeans.annotation(name, listener, ListenerBeans.handler(listener, CONSUME));
        String group = group(container);
        String topic = container.getTopic();
        ListenerSpec spec = new ListenerSpec(name, group, container.getEndpoints(), Set.of(topic), null, annotation);
        known.getObject().add(spec);
        planner.getObject().requireOwnGroup(spec);
        groups.add(group);
        RocketMqListeners deduplicated = listeners.getObject();
        MessageListener decorated = deduplicated.of(spec, listener);
        if (decorated != listener) {
            requireOwnListener(name, listener);
            container.getPushConsumerBuilder().setMessageListener(decorated);
        }
    }

    /** As it is named on the broker, because groups of two namespaces are two groups. */
    private static String group(DefaultListenerContainer container) {
        String namespace = container.getNamespace();
        String group = container.getConsumerGroup();
        return namespace == null || namespace.isBlank() ? group : namespace + "%" + group;
    }

    /** A builder doesn't show the listener that it has, and another one that was set there must not get lost. */
    private static void requireOwnListener(String name, RocketMQListener listener) {
        for (Class<?> each : ClassUtils.getAllInterfaces(listener)) {
            if (each.getName().equals(PREPARES)) {
                throw new DedupConfigurationException(
                        "RocketMQ listener " + name + " cannot be deduplicated: it implements "
                                + each.getSimpleName()
                                + ", whose prepareStart may give the consumer another listener.",
                        "Move what prepareStart does to the annotation's settings, or switch off deduplication of this listener"
                                + " with " + YamlPath.listener(name) + ".enabled: false.");
            }
        }
    }

    /** Before the containers stop: a closing consumer waits for its handlers without a limit. */
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext() == context && !groups.isEmpty()) { // not a child's
            listeners.getObject().endWaits(groups::contains);
        }
    }
}
