package io.dedup.spring.boot.autoconfigure;

import io.dedup.spring.boot.DedupProperties;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.http.HttpPaths;
import io.dedup.spring.boot.internal.http.reactive.IdempotencyKeyWebFilter;
import io.dedup.spring.boot.internal.http.servlet.IdempotencyKeyFilter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.util.EnumSet;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.server.WebFilter;
import org.springframework.web.util.pattern.PathPattern;
import reactor.core.publisher.Mono;

/** Deduplicates the requests of {@code dedup.http.paths}; without any, there is no filter. */
@AutoConfiguration(after = DedupAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "dedup.enabled", matchIfMissing = true)
@ConditionalOnWebApplication
@ConditionalOnClass(PathPattern.class)
@Conditional(HttpDedupAutoConfiguration.OnPaths.class)
final class HttpDedupAutoConfiguration {
    @Bean
    HttpPaths dedupHttpPaths(DedupProperties properties, DeduplicatorRegistry registry) {
        return new HttpPaths(properties, registry);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(Filter.class)
    static class OfServlets {
        @Bean
        FilterRegistrationBean<IdempotencyKeyFilter> dedupIdempotencyKeyFilter(ObjectProvider<HttpPaths> paths) {
            FilterRegistrationBean<IdempotencyKeyFilter> filter =
                    new FilterRegistrationBean<>(new IdempotencyKeyFilter(SingletonSupplier.of(paths::getObject)));
            filter.setOrder(IdempotencyKeyFilter.ORDER);
            filter.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
            return filter;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass({WebFilter.class, Mono.class})
    static class OfWebFlux {
        @Bean
        IdempotencyKeyWebFilter dedupIdempotencyKeyFilter(ObjectProvider<HttpPaths> paths) {
            return new IdempotencyKeyWebFilter(SingletonSupplier.of(paths::getObject));
        }
    }

    /** Whether any path is configured. */
    static final class OnPaths extends SpringBootCondition {
        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            boolean any = Binder.get(context.getEnvironment())
                    .bind("dedup.http.paths", Bindable.mapOf(String.class, Object.class))
                    .isBound();
            return new ConditionOutcome(any, any ? "dedup.http.paths is set" : "dedup.http.paths isn't set");
        }
    }
}
