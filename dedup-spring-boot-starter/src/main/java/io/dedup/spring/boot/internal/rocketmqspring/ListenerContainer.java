package io.dedup.spring.boot.internal.rocketmqspring;

import io.dedup.spring.boot.internal.plan.ListenerSpec;
import io.dedup.spring.boot.internal.rocketmqclients.ListenerBeans;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.remoting.protocol.NamespaceUtil;
import org.apache.rocketmq.spring.core.RocketMQListener;
import org.apache.rocketmq.spring.core.RocketMQReplyListener;
import org.apache.rocketmq.spring.support.DefaultRocketMQListenerContainer;
import org.springframework.util.ClassUtils;

/**
 * A container of rocketmq-spring that has its consumer, and hasn't started it.
 *
 * @param name of the listener's bean
 * @param beans of listeners
 */
record ListenerContainer(DefaultRocketMQListenerContainer container, String name, ListenerBeans beans) {

    ListenerSpec spec() {
        return new ListenerSpec(
                name,
                group(),
                container.getConsumer().getNamesrvAddr(),
                topics(),
                null,
                beans.annotation(name, listener(), handler()));
    }

    /** As it is named on the broker, because groups of two namespaces are two groups. */
    @SuppressWarnings("deprecation") // listeners set it all the same
    private String group() {
        DefaultMQPushConsumer consumer = container.getConsumer();
        String namespaceV2 = consumer.getNamespaceV2();
        String group = NamespaceUtil.wrapNamespace(consumer.getNamespace(), consumer.getConsumerGroup());
        return namespaceV2 == null || namespaceV2.isBlank() ? group : NamespaceUtil.wrapNamespace(namespaceV2, group);
    }

    /** As its messages name them. A {@code prepareStart} of the listener may have added some. */
    @SuppressWarnings("deprecation") // no other method shows them
    private Set<String> topics() {
        DefaultMQPushConsumer consumer = container.getConsumer();
        Set<String> topics = new LinkedHashSet<>();
        consumer.getDefaultMQPushConsumerImpl()
                .getSubscriptionInner()
                .keySet()
                .forEach(topic -> topics.add(NamespaceUtil.withoutNamespace(topic, consumer.getNamespace())));
        return topics;
    }

    boolean replies() {
        return container.getRocketMQListener() == null;
    }

    /** The user's object, or a proxy of it. */
    Object listener() {
        RocketMQListener<?> listener = container.getRocketMQListener();
        return listener != null ? listener : container.getRocketMQReplyListener();
    }

    /** The method that handles messages, as the listener's class declares it. */
    Method handler() {
        Method declared = ClassUtils.getMethod(
                replies() ? RocketMQReplyListener.class : RocketMQListener.class, "onMessage", Object.class);
        return ListenerBeans.handler(listener(), declared);
    }
}
