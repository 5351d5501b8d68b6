package io.dedup.spring.boot.internal.rocketmqspring;

import io.dedup.spring.boot.internal.rocketmqclients.ListenerBeans;
import org.apache.rocketmq.spring.annotation.RocketMQMessageListener;
import org.apache.rocketmq.spring.core.RocketMQListener;
import org.apache.rocketmq.spring.support.DefaultRocketMQListenerContainer;
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
    private final ListenerBeans listenerBeans;

    public RemotingContainerPostProcessor(
            ConfigurableListableBeanFactory beans, ObjectProvider<RemotingListeners> listeners) {
        this.beans = beans;
        this.listeners = listeners;
        this.listenerBeans = new ListenerBeans(beans);
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
        if (bean instanceof DefaultRocketMQListenerContainer container) {
            beans.registerDependentBean(LISTENERS, name); // Spring destroys the container first
            RocketMQListener<?> plain = container.getRocketMQListener();
            Object listener = plain != null ? plain : container.getRocketMQReplyListener();
            listeners
                    .getObject()
                    .decorate(new ListenerContainer(container, listenerBeans.nameOf(listener, name), listenerBeans));
        }
        return bean;
    }
}
