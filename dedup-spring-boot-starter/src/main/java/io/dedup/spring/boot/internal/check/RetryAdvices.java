package io.dedup.spring.boot.internal.check;

import java.util.stream.Stream;
import org.aopalliance.aop.Advice;
import org.springframework.aop.aspectj.AbstractAspectJAdvice;

/** Finds advices that call again after a failure: of spring-retry, Spring Framework, RabbitMQ, Spring Integration and Resilience4j, and what extends them. */
public final class RetryAdvices {
    private RetryAdvices() {}

    /** By its name: they have no type in common, and the two lines of Spring Boot have different ones. */
    public static boolean isRetry(Advice advice) {
        Class<?> type = advice instanceof AbstractAspectJAdvice ofAspect
                ? ofAspect.getAspectJAdviceMethod().getDeclaringClass()
                : advice.getClass();
        return Stream.<Class<?>>iterate(type, each -> each != null, Class::getSuperclass)
                .anyMatch(each -> each.getSimpleName().contains("Retry"));
    }
}
