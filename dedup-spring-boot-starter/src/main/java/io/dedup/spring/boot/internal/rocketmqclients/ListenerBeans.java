package io.dedup.spring.boot.internal.rocketmqclients;

import io.dedup.spring.boot.Deduplicated;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** The beans of listeners: a container knows its listener, but not the name of the listener's bean. Thread-safe. */
public final class ListenerBeans {
    private final ConfigurableListableBeanFactory beans;
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

    public ListenerBeans(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    public void add(Object listener, String name) {
        names.put(new Identity(listener), name);
    }

    /** The name of the listener's bean; that of the container where the listener isn't a bean. */
    public String nameOf(Object listener, String ofContainer) {
        Object each = listener;
        while (each != null) {
            String name = names.get(new Identity(each));
            if (name != null) {
                return name;
            }
            each = AopProxyUtils.getSingletonTarget(each);
        }
        return ofContainer;
    }

    /** The method that handles messages, as the listener's class declares it. */
    public static Method handler(Object listener, Method declared) {
        return AopUtils.getMostSpecificMethod(declared, AopProxyUtils.ultimateTargetClass(listener));
    }

    /** That of the method, or of the class or bean method. A listener of a child context, or that is no bean, has only a class. */
    public @Nullable Deduplicated annotation(String name, Object listener, Method handler) {
        Deduplicated ofMethod = AnnotatedElementUtils.findMergedAnnotation(handler, Deduplicated.class);
        if (ofMethod != null) {
            return ofMethod;
        }
        Deduplicated ofBean =
                beans.containsBeanDefinition(name) ? beans.findAnnotationOnBean(name, Deduplicated.class) : null;
        return ofBean != null
                ? ofBean
                : AnnotatedElementUtils.findMergedAnnotation(
                        AopProxyUtils.ultimateTargetClass(listener), Deduplicated.class);
    }
}
