package io.dedup.spring.boot.internal.rocketmq;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Listener beans that the Spring Boot starter of RocketMQ's newer client finds by their annotation, and makes a consumer for. */
final class AnnotatedListeners {
    /** By name, because that starter is optional. */
    private static final String ANNOTATION = "org.apache.rocketmq.client.annotation.RocketMQMessageListener";

    private AnnotatedListeners() {}

    static boolean isOne(Object bean) {
        return MergedAnnotations.from(AopProxyUtils.ultimateTargetClass(bean), SearchStrategy.TYPE_HIERARCHY)
                .isPresent(ANNOTATION);
    }
}
