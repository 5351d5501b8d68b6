package io.dedup.store.transaction;

import java.util.List;
import java.util.Objects;

/**
 * Identifies the method of a handler that handles messages.
 *
 * @param declaredIn the class or interface that declares it
 * @param parameterTypes erased, in order
 */
public record HandlerMethod(Class<?> declaredIn, String name, List<Class<?>> parameterTypes) {
    public HandlerMethod {
        Objects.requireNonNull(declaredIn, "declaredIn");
        Objects.requireNonNull(name, "name");
        parameterTypes = List.copyOf(parameterTypes);
    }
}
