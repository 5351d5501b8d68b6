package io.dedup.spring.boot.autoconfigure;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Retries of methods that need no dependency, and so are the same on both lines of Spring Boot. */
@Configuration(proxyBeanMethods = false)
class RetriedHandlers {
    /** A method that is called up to twice. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface Retried {}

    private static final class TwiceRetryInterceptor implements MethodInterceptor {
        @Override
        public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
            try {
                return invocation.proceed();
            } catch (IllegalStateException e) {
                return invocation.proceed();
            }
        }
    }

    @Bean
    static DefaultAdvisorAutoProxyCreator proxies() {
        DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
        creator.setProxyTargetClass(true);
        return creator;
    }

    @Bean
    static Advisor retries() {
        return new DefaultPointcutAdvisor(
                AnnotationMatchingPointcut.forMethodAnnotation(Retried.class), new TwiceRetryInterceptor());
    }
}
