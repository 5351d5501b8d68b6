package io.dedup.examples.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.spring.boot.Deduplicated;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.github.resilience4j.spring6.circuitbreaker.configure.CircuitBreakerAspect;
import io.github.resilience4j.spring6.circuitbreaker.configure.CircuitBreakerConfigurationProperties;
import java.util.List;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.retry.annotation.Recover;
import org.springframework.retry.annotation.RetryConfiguration;
import org.springframework.retry.annotation.Retryable;

/** Retries within one claim: a recovery would count as done without its effect, and the tries would share a transaction. */
class RetryRefusalTest {
    private final ApplicationContextRunner app = Applications.withMethods();

    static class Retried {
        @Retryable
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public void handle(String order) {
            throw new IllegalStateException("fails");
        }

        @Recover
        public void recover(IllegalStateException failure, String order) {}
    }

    /** As {@code @EnableRetry} does, which needs AspectJ. */
    static RetryConfiguration retries(int order) {
        RetryConfiguration retries = new RetryConfiguration();
        retries.setOrder(order);
        return retries;
    }

    static class RetriedBySpring {
        @org.springframework.resilience.annotation.Retryable
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public void handle(String order) {}
    }

    @EnableResilientMethods
    @Configuration(proxyBeanMethods = false)
    static class OfSpring {}

    /** As Resilience4j's aspect of this name. */
    @Aspect
    @Order(Ordered.LOWEST_PRECEDENCE - 5)
    static class RetryAspect {
        /** Calls a method up to twice. */
        @Around("execution(* io.dedup.examples.method.RetryRefusalTest.RetriedByAspect.*(..))")
        public @Nullable Object retried(ProceedingJoinPoint call) throws Throwable {
            try {
                return call.proceed();
            } catch (IllegalStateException e) {
                return call.proceed();
            }
        }
    }

    static class RetriedByAspect {
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public void handle(String order) {}
    }

    static class Broken {
        @CircuitBreaker(name = "stock", fallbackMethod = "instead")
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public void handle(String order) {}

        void instead(String order, IllegalStateException failure) {}
    }

    static class BrokenWithoutFallback {
        @CircuitBreaker(name = "stock")
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public void handle(String order) {}
    }

    /** That of Resilience4j, which calls nothing here. */
    static CircuitBreakerAspect circuitBreakers(int order) {
        CircuitBreakerConfigurationProperties properties = new CircuitBreakerConfigurationProperties();
        properties.setCircuitBreakerAspectOrder(order);
        return new CircuitBreakerAspect(properties, CircuitBreakerRegistry.ofDefaults(), List.of(), null, null);
    }

    @Test
    @DisplayName("a fallback inside of the claim is refused, and one outside of it isn't")
    void fallback() {
        int byDefault = Ordered.LOWEST_PRECEDENCE - 3;
        app.withBean(CircuitBreakerAspect.class, () -> circuitBreakers(byDefault))
                .withBean(Broken.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("Method Broken.handle")
                        .hasStackTraceContaining("has a fallback method within its claim"));
        app.withBean(CircuitBreakerAspect.class, () -> circuitBreakers(0))
                .withBean(Broken.class)
                .run(context -> assertThat(context).hasNotFailed());
        app.withBean(CircuitBreakerAspect.class, () -> circuitBreakers(byDefault))
                .withBean(BrokenWithoutFallback.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    @DisplayName("retries inside of the claim are refused, and those outside of it aren't")
    void refused() {
        app.withBean(RetryConfiguration.class, () -> retries(Ordered.LOWEST_PRECEDENCE)) // which is its default
                .withBean(Retried.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("Method Retried.handle")
                        .hasStackTraceContaining("is retried within one claim"));
        app.withBean(RetryConfiguration.class, () -> retries(0))
                .withBean(Retried.class)
                .run(context -> assertThat(context).hasNotFailed());
        app.withBean(RetryAspect.class)
                .withBean(RetriedByAspect.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("Method RetriedByAspect.handle")
                        .hasStackTraceContaining("is retried within one claim"));
        app.withUserConfiguration(OfSpring.class)
                .withBean(RetriedBySpring.class)
                .run(context -> assertThat(context).hasNotFailed());
    }
}
