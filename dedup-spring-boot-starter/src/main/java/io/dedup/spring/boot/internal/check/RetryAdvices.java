package io.dedup.spring.boot.internal.check;

import java.util.stream.Stream;
import org.aopalliance.aop.Advice;

/** Finds advices that call again after a failure: of spring-retry, Spring Framework, RabbitMQ and Spring Integration, and what extends them. */
public final class RetryAdvices {
    private RetryAdvices() {}

    /** By its name: they have no type in common, and the two lines of Spring Boot have different ones. */
    public static boolean isRetry(Advice advice) {
        return Stream.<Class<?>>iterate(advice.getClass(), each -> each != null, Class::getSuperclass)
                .anyMatch(each -> each.getSimpleName().contains("Retry"));
    }
}
