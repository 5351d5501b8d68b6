package io.dedup.spring.boot.internal.rocketmqspring;

import io.dedup.spring.boot.Deduplicated;
import io.dedup.spring.boot.internal.plan.ListenerSpec;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.remoting.protocol.NamespaceUtil;
import org.apache.rocketmq.spring.core.RocketMQListener;
import org.apache.rocketmq.spring.core.RocketMQReplyListener;
import org.apache.rocketmq.spring.support.DefaultRocketMQListenerContainer;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/**
 * A container of rocketmq-spring that has its consumer, and hasn't started it.
 *
 * @param name of the listener's bean
 * @param ofBean the annotation of the listener's bean; null when neither its class nor its bean method has one, or it is no bean of this context
 */
record ListenerContainer(
        DefaultRocketMQListenerContainer container,
        String name,
        @Nullable Deduplicated ofBean) {

    ListenerSpec spec() {
        return new ListenerSpec(name, group(), topics(), null, annotation());
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

    /** That of the method, or of the class or bean method. A listener of a child context, or that is no bean, has only a class. */
    private @Nullable Deduplicated annotation() {
        Deduplicated ofMethod = AnnotatedElementUtils.findMergedAnnotation(handler(), Deduplicated.class);
        if (ofMethod != null) {
            return ofMethod;
        }
        return ofBean != null
                ? ofBean
                : AnnotatedElementUtils.findMergedAnnotation(
                        AopProxyUtils.ultimateTargetClass(listener()), Deduplicated.class);
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
        return AopUtils.getMostSpecificMethod(declared, AopProxyUtils.ultimateTargetClass(listener()));
    }
}
