package io.dedup.spring.boot.autoconfigure;

import io.dedup.http.HttpPaths;
import io.dedup.http.ServletDedup;
import io.dedup.http.WebFluxDedup;
import io.dedup.spring.boot.DedupProperties;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.http.HttpEntries;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterRegistration;
import java.util.EnumSet;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** Deduplicates the requests of {@code dedup.http.paths} with dedup-http; without any, there is no filter. */
@AutoConfiguration(after = DedupAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "dedup.enabled", matchIfMissing = true)
@ConditionalOnWebApplication
@ConditionalOnClass(HttpPaths.class)
@Conditional(HttpDedupAutoConfiguration.OnPaths.class)
final class HttpDedupAutoConfiguration {
    @Bean
    HttpEntries dedupHttpPaths(DedupProperties properties, DeduplicatorRegistry registry) {
        return new HttpEntries(properties, registry);
    }

    private static Supplier<HttpPaths> served(ObjectProvider<HttpEntries> entries) {
        return SingletonSupplier.of(() -> entries.getObject().served());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(Filter.class)
    static class OfServlets {
        @Bean
        ServletDedup dedupServlets(ObjectProvider<HttpEntries> entries, ApplicationContext application) {
            return new ServletDedup(served(entries), application);
        }

        @Bean
        FilterRegistrationBean<Filter> dedupIdempotencyKeyFilter(ServletDedup dedup) {
            FilterRegistrationBean<Filter> filter = new FilterRegistrationBean<>(dedup.filter());
            filter.setOrder(ServletDedup.ORDER);
            filter.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
            return filter;
        }

        /** Behind all filters of the application, which may rewrite a path, or forward to another one. */
        @Bean
        ServletContextInitializer dedupLastIdempotencyKeyFilter(ServletDedup dedup) {
            return context -> {
                FilterRegistration.Dynamic last = context.addFilter("dedupLastIdempotencyKeyFilter", dedup.filter());
                if (last != null) {
                    last.setAsyncSupported(true);
                    last.addMappingForUrlPatterns(
                            EnumSet.of(DispatcherType.REQUEST, DispatcherType.FORWARD, DispatcherType.ASYNC),
                            true,
                            "/*");
                }
            };
        }

        @Bean
        SmartInitializingSingleton dedupHttpPathsCheck(ObjectProvider<HttpEntries> entries, ServletDedup dedup) {
            return () -> entries.getObject().check(dedup::problem);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass({WebFilter.class, Mono.class})
    static class OfWebFlux {
        @Bean
        WebFluxDedup dedupWebFlux(ObjectProvider<HttpEntries> entries, ApplicationContext application) {
            return new WebFluxDedup(served(entries), application);
        }

        @Bean
        WebFilter dedupIdempotencyKeyFilter(WebFluxDedup dedup) {
            return dedup.filter(WebFluxDedup.ORDER);
        }

        /** Behind all filters of the application, which may rewrite a path. */
        @Bean
        WebFilter dedupLastIdempotencyKeyFilter(WebFluxDedup dedup) {
            return dedup.filter(Ordered.LOWEST_PRECEDENCE);
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
