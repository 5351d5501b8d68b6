package io.dedup.spring.boot.internal.rocketmqspring;

import io.dedup.spring.boot.Deduplicated;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.spring.annotation.RocketMQMessageListener;
import org.apache.rocketmq.spring.core.RocketMQListener;
import org.apache.rocketmq.spring.support.DefaultRocketMQListenerContainer;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Decorates the consumers of rocketmq-spring's containers. A container is a bean that is made when its listener's bean has been made,
 * at start or later. It creates its consumer as it is initialized, registers its listener there and starts it afterwards, so that this
 * class sees each container with its consumer before the first message.
 */
public final class RemotingContainerPostProcessor implements BeanPostProcessor {
    /** The name that the auto-configuration gives the bean of {@link RemotingListeners}. */
    private static final String LISTENERS = "dedupRocketMqSpringListeners";

    private final ConfigurableListableBeanFactory beans;
    private final ObjectProvider<RemotingListeners> listeners;
    private final Map<Identity, String> names = new ConcurrentHashMap<>();

    /** An object that is only equal to itself, whatever its class says. */
    private record Identity(Object object) {
        @Override
        @SuppressWarnings("ReferenceEquality") // that is what it is for
        public boolean equals(@Nullable Object other) {
            return other instanceof Identity identity && identity.object == object;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(object);
        }
    }

    public RemotingContainerPostProcessor(
            ConfigurableListableBeanFactory beans, ObjectProvider<RemotingListeners> listeners) {
        this.beans = beans;
        this.listeners = listeners;
    }

    /** A container knows its listener, but not the name of the listener's bean. */
    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (AnnotationUtils.findAnnotation(bean.getClass(), RocketMQMessageListener.class) != null) {
            names.put(new Identity(bean), name);
        }
        return bean;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof DefaultRocketMQListenerContainer container) {
            beans.registerDependentBean(LISTENERS, name); // Spring destroys the container first
            String listener = listenerOf(container, name);
            Deduplicated annotation = beans.containsBeanDefinition(listener)
                    ? beans.findAnnotationOnBean(listener, Deduplicated.class)
                    : null;
            listeners.getObject().decorate(new ListenerContainer(container, listener, annotation));
        }
        return bean;
    }

    /** The name of the listener's bean; that of the container where the listener isn't a bean. */
    private String listenerOf(DefaultRocketMQListenerContainer container, String ofContainer) {
        RocketMQListener<?> plain = container.getRocketMQListener();
        Object each = plain != null ? plain : container.getRocketMQReplyListener();
        while (each != null) {
            String name = names.get(new Identity(each));
            if (name != null) {
                return name;
            }
            each = AopProxyUtils.getSingletonTarget(each);
        }
        return ofContainer;
    }
}
