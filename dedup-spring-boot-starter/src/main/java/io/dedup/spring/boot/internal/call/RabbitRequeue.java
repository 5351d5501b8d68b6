package io.dedup.spring.boot.internal.call;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.util.ClassUtils;

/**
 * Makes the containers of spring-rabbit requeue a message whose call is deferred, also with {@code default-requeue-rejected: false}:
 * they look for their exception among the causes.
 */
final class RabbitRequeue {
    private static final String EXCEPTION = "org.springframework.amqp.ImmediateRequeueAmqpException";

    private RabbitRequeue() {}

    /** The cause of a deferral, with that exception in front of it where the application has spring-amqp. */
    static @Nullable Throwable cause(String message, @Nullable Throwable cause) {
        ClassLoader loader = RabbitRequeue.class.getClassLoader();
        if (!ClassUtils.isPresent(EXCEPTION, loader)) {
            return cause;
        }
        try {
            return (Throwable) BeanUtils.instantiateClass(
                    ClassUtils.resolveClassName(EXCEPTION, loader).getConstructor(String.class, Throwable.class),
                    message,
                    cause);
        } catch (NoSuchMethodException e) {
            return cause;
        }
    }
}
