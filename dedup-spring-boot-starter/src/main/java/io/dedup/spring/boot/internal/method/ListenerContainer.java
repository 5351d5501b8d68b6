package io.dedup.spring.boot.internal.method;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.PropertyAccessor;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.messaging.handler.HandlerMethod;

/**
 * A container of spring-rabbit or spring-jms. Its settings are read by their names, because they have no public getters, and some of
 * their classes are in other packages in the two lines of Spring.
 */
final class ListenerContainer {
    static final String RABBIT = "org.springframework.amqp.rabbit.config.internalRabbitListenerEndpointRegistry";
    static final String JMS = "org.springframework.jms.config.internalJmsListenerEndpointRegistry";

    private final Class<?> type;
    private final PropertyAccessor fields;

    private ListenerContainer(Object container) {
        this.type = container.getClass();
        this.fields = new DirectFieldAccessor(container);
    }

    /** The containers of annotated listeners. */
    static List<ListenerContainer> all(BeanFactory beans, String registry) {
        if (!beans.containsBean(registry)) {
            return List.of();
        }
        PropertyAccessor of = PropertyAccessorFactory.forBeanPropertyAccess(beans.getBean(registry));
        return of.getPropertyValue("listenerContainers") instanceof Collection<?> containers
                ? containers.stream().map(ListenerContainer::new).toList()
                : List.of();
    }

    /** The name of its class. */
    String type() {
        return type.getSimpleName();
    }

    /** A setting; null where the container doesn't have it. */
    @Nullable
    Object setting(String name) {
        return fields.isReadableProperty(name) ? fields.getPropertyValue(name) : null;
    }

    /** Whether the container has this setting, set or not. */
    boolean knows(String name) {
        return fields.isReadableProperty(name);
    }

    /** What it calls: one method, or those of a class among which the payload decides. */
    List<HandlerMethod> handlers() {
        Object listener = setting("messageListener");
        // A container of streams gives its listener a proxy.
        Object advised = listener == null ? null : AopProxyUtils.getSingletonTarget(listener);
        Object called = advised == null ? listener : advised;
        if (called == null) {
            return List.of();
        }
        PropertyAccessor of = new DirectFieldAccessor(called);
        return Stream.of(
                        "handlerMethod",
                        "handlerAdapter.invokerHandlerMethod",
                        "handlerAdapter.delegatingHandler.handlers")
                .filter(of::isReadableProperty)
                .map(of::getPropertyValue)
                .flatMap(found -> found instanceof Collection<?> several ? several.stream() : Stream.ofNullable(found))
                .filter(HandlerMethod.class::isInstance)
                .map(HandlerMethod.class::cast)
                .toList();
    }
}
