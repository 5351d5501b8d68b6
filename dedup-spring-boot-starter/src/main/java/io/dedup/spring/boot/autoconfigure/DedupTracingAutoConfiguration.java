package io.dedup.spring.boot.autoconfigure;

import io.dedup.RunReference;
import io.dedup.spring.boot.internal.tracing.TraceLinks;
import io.dedup.spring.boot.internal.tracing.TracingCheck;
import io.micrometer.tracing.Tracer;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Links of duplicates to the traces of the first runs, where that is wanted and the application has a tracer. */
@AutoConfiguration(
        after = DedupAutoConfiguration.class,
        afterName = { // in Spring Boot 4 and in 3.5
            "org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.brave.autoconfigure.BraveAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.NoopTracerAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.tracing.OpenTelemetryTracingAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.tracing.BraveAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.tracing.NoopTracerAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "dedup.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "dedup.tracing.link-duplicates")
final class DedupTracingAutoConfiguration {
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Tracer.class)
    @ConditionalOnBean(Tracer.class)
    @ConditionalOnMissingBean(RunReference.class) // the application's own is kept instead
    static final class Links {
        @Bean
        TraceLinks dedupTraceLinks(Tracer tracer) {
            return new TraceLinks(tracer);
        }
    }

    @Bean
    TracingCheck dedupTracingCheck(BeanFactory beans) {
        boolean links = beans.containsBean("dedupTraceLinks");
        return new TracingCheck(
                links,
                !links
                        && beans.getBeanProvider(RunReference.class).stream()
                                .findAny()
                                .isPresent());
    }
}
