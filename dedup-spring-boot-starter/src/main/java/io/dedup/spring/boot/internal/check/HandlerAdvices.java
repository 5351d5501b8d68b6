package io.dedup.spring.boot.internal.check;

import io.dedup.adapter.advice.FailureAdvice;
import java.lang.reflect.Method;
import java.util.stream.Stream;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;

/** The advices around a handler. */
public final class HandlerAdvices {
    private HandlerAdvices() {}

    /**
     * From the outside to the inside, also where a proxy has a proxy.
     *
     * @param bean as it is called, with its proxies
     */
    static Stream<Advice> around(Object bean, Method handler) {
        Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
        return Stream.iterate(bean, Advised.class::isInstance, AopProxyUtils::getSingletonTarget)
                .flatMap(each -> Stream.of(((Advised) each).getAdvisors()))
                .filter(advisor -> applies(advisor, handler, type))
                .map(Advisor::getAdvice);
    }

    /**
     * Why a handler must not run in a transaction that is around its advices: the rest of a sentence that starts with its name; null if it
     * may.
     */
    public static @Nullable String problemInTransaction(Object bean, Method handler) {
        return first(bean, handler, FailureAdvice::problemInTransaction);
    }

    /** The name of an advice that calls a handler again after a failure, or takes the failure; null if there is none. */
    public static @Nullable String hidingFailures(Object bean, Method handler) {
        return first(bean, handler, FailureAdvice::name);
    }

    private interface Question {
        @Nullable
        String of(Advice advice, Method method, Class<?> type);
    }

    private static @Nullable String first(Object bean, Method handler, Question question) {
        Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
        Method ofType = AopUtils.getMostSpecificMethod(handler, type);
        return around(bean, handler)
                .flatMap(advice -> Stream.ofNullable(question.of(advice, ofType, type)))
                .findFirst()
                .orElse(null);
    }

    private static boolean applies(Advisor advisor, Method handler, Class<?> type) {
        if (!(advisor instanceof PointcutAdvisor pointcut)) {
            return true;
        }
        return pointcut.getPointcut().getClassFilter().matches(type)
                && pointcut.getPointcut().getMethodMatcher().matches(handler, type);
    }
}
