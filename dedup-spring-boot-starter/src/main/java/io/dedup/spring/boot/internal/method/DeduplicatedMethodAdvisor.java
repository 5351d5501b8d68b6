package io.dedup.spring.boot.internal.method;

import io.dedup.spring.boot.Deduplicated;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Stands in front of annotated methods: around their transactions, so that these have committed before a success is recorded, and inside
 * of {@code @Async}, security and what keeps track of events, so that these treat a duplicate like a success.
 */
public final class DeduplicatedMethodAdvisor extends StaticMethodMatcherPointcutAdvisor {
    private static final long serialVersionUID = 1L;

    /** Spring's transactions come last by default. */
    static final int ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    /**
     * An advisor.
     *
     * @param methods asked with the first call, because advisors are made before most beans
     */
    public DeduplicatedMethodAdvisor(Supplier<DeduplicatedMethods> methods) {
        super(interceptor(methods));
        setOrder(ORDER);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        if (!AnnotationUtils.isCandidateClass(targetClass, Deduplicated.class)) {
            return false;
        }
        DeduplicatedMethod found = DeduplicatedMethod.of(ClassUtils.getUserClass(targetClass), method);
        return found != null && found.hasTopic();
    }

    private static MethodInterceptor interceptor(Supplier<DeduplicatedMethods> methods) {
        return invocation -> {
            Object target = invocation.getThis();
            Class<?> type = target == null
                    ? invocation.getMethod().getDeclaringClass()
                    : ClassUtils.getUserClass(AopUtils.getTargetClass(target));
            @Nullable MethodCalls calls = methods.get().of(type, invocation.getMethod());
            if (calls == null) {
                return invocation.proceed();
            }
            if (invocation instanceof ProxyMethodInvocation called) {
                calls.requireIntercepted(called.getProxy());
            }
            return calls.run(invocation);
        };
    }
}
