package io.dedup.adapter.advice;

import java.lang.annotation.Annotation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An advice of Spring's that repeats or takes failures of the method that it is around. If it is inside of a run, the run doesn't notice
 * them: what it has taken counts as handled, and a transaction commits what the failed calls have written.
 *
 * <p>By names: these advices have no type in common, the two lines of Spring have different ones, and core doesn't depend on
 * Spring.
 */
public final class FailureAdvice {
    private static final String RESILIENCE4J = "io.github.resilience4j.";
    /** Of an aspect's advice, whose class is Spring's; null without Spring's support for aspects. */
    private static final @Nullable MethodHandle ASPECT_METHOD = find();

    private FailureAdvice() {}

    private static @Nullable MethodHandle find() {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(
                            Class.forName("org.springframework.aop.aspectj.AbstractAspectJAdvice"),
                            "getAspectJAdviceMethod",
                            MethodType.methodType(Method.class));
        } catch (ReflectiveOperationException | LinkageError e) {
            return null;
        }
    }

    /**
     * Whether it calls again after a failure: the advices of spring-retry, Spring Framework, RabbitMQ, Spring Integration and Resilience4j,
     * and what extends them.
     */
    public static boolean repeats(Object advice) {
        return Stream.<Class<?>>iterate(type(advice), each -> each != null, Class::getSuperclass)
                .anyMatch(each -> each.getSimpleName().contains("Retry"));
    }

    /**
     * Whether it calls something else in place of what has failed: a fallback method of Resilience4j.
     *
     * @param method the one that it is around, of the user's class
     */
    public static boolean replaces(Object advice, Method method, Class<?> type) {
        return type(advice).getName().startsWith(RESILIENCE4J)
                && Stream.of(method.getAnnotations(), type.getAnnotations())
                        .flatMap(Stream::of)
                        .anyMatch(FailureAdvice::hasFallback);
    }

    /** The name of what does either; null if it does neither. */
    public static @Nullable String name(Object advice, Method method, Class<?> type) {
        return repeats(advice) || replaces(advice, method, type) ? type(advice).getSimpleName() : null;
    }

    /**
     * Why it must not be inside of a transaction that dedup opens, or a container: the rest of a sentence that starts with the method's
     * name; null if it may be.
     */
    public static @Nullable String problemInTransaction(Object advice, Method method, Class<?> type) {
        String name = name(advice, method, type);
        return name == null
                ? null
                : (replaces(advice, method, type) ? "has a fallback method" : "is called again after a failure")
                        + ", by its advice " + name
                        + ", within one transaction, which would commit what the failed call has written. Remove that advice from the"
                        + " handler: the failure rolls back, and the broker delivers the message again. Or move it, with what may fail"
                        + " and writes nothing, to a bean that the handler calls; or to one that opens its own transaction for each try";
    }

    private static Class<?> type(Object advice) {
        try {
            return ASPECT_METHOD != null
                            && ASPECT_METHOD.type().parameterType(0).isInstance(advice)
                    ? ((Method) ASPECT_METHOD.invoke(advice)).getDeclaringClass()
                    : advice.getClass();
        } catch (Throwable e) { // a getter
            throw new IllegalStateException("cannot find out the aspect of an advice", e);
        }
    }

    private static boolean hasFallback(Annotation annotation) {
        try {
            return annotation.annotationType().getName().startsWith(RESILIENCE4J)
                    && annotation.annotationType().getMethod("fallbackMethod").invoke(annotation) instanceof String name
                    && !name.isEmpty();
        } catch (ReflectiveOperationException e) {
            return false; // one that has none
        }
    }
}
