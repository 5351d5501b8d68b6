package io.dedup.spring.boot.internal.method;

import io.dedup.spring.boot.Deduplicated;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * A method that is annotated.
 *
 * @param type the class of the bean
 * @param method of that class, or inherited by it
 */
record DeduplicatedMethod(Class<?> type, Method method, Deduplicated annotation) {
    /** The method as the bean's class has it; null where that one isn't annotated. */
    static @Nullable DeduplicatedMethod of(Class<?> type, Method called) {
        Method method = AopUtils.getMostSpecificMethod(called, type);
        Deduplicated annotation = AnnotatedElementUtils.findMergedAnnotation(method, Deduplicated.class);
        return annotation == null ? null : new DeduplicatedMethod(type, method, annotation);
    }

    /** Whether it is for this package; the listeners of brokers with an adapter are not. */
    boolean hasTopic() {
        return !annotation.topic().isEmpty();
    }

    /** As it is called in {@code dedup.listeners}, logs and errors. */
    String name() {
        return type.getSimpleName() + "." + method.getName();
    }

    /** Distinguishes it from all other methods, also from those of the same name. */
    String signature() {
        return type.getName() + "." + method.getName()
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }
}
