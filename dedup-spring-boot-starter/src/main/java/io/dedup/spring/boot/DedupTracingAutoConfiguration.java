package io.dedup.spring.boot;

import io.micrometer.tracing.Tracer;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Links of duplicates to the traces of the first runs, where that is wanted and the application has a tracer. */
@AutoConfiguration(
        after = DedupAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.brave.autoconfigure.BraveAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.NoopTracerAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "dedup.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "dedup.tracing.link-duplicates")
final class DedupTracingAutoConfiguration {
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Tracer.class)
    @ConditionalOnBean(Tracer.class)
    static final class Links {
        @Bean
        TraceLinks dedupTraceLinks(Tracer tracer) {
            return new TraceLinks(tracer);
        }
    }

    @Bean
    TracingCheck dedupTracingCheck(BeanFactory beans) {
        return new TracingCheck(beans.containsBean("dedupTraceLinks"));
    }
}
