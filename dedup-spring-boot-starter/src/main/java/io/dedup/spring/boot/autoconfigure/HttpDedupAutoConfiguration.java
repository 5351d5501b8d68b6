package io.dedup.spring.boot.autoconfigure;

import io.dedup.spring.boot.DedupProperties;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.http.HttpPaths;
import io.dedup.spring.boot.internal.http.reactive.IdempotencyKeyWebFilter;
import io.dedup.spring.boot.internal.http.reactive.SpringWebFlux;
import io.dedup.spring.boot.internal.http.servlet.FrontServlet;
import io.dedup.spring.boot.internal.http.servlet.IdempotencyKeyFilter;
import io.dedup.spring.boot.internal.http.servlet.SpringMvc;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterRegistration;
import java.util.EnumSet;
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
import org.springframework.context.annotation.Lazy;
import org.springframework.core.Ordered;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.server.WebFilter;
import org.springframework.web.servlet.DispatcherServlet;
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
        FilterRegistrationBean<IdempotencyKeyFilter> dedupIdempotencyKeyFilter(
                ObjectProvider<HttpPaths> paths, ObjectProvider<FrontServlet> servlet) {
            FilterRegistrationBean<IdempotencyKeyFilter> filter = new FilterRegistrationBean<>(filter(paths, servlet));
            filter.setOrder(IdempotencyKeyFilter.ORDER);
            filter.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
            return filter;
        }

        /** Behind all filters of the application, which may rewrite a path, or forward to another one. */
        @Bean
        ServletContextInitializer dedupLastIdempotencyKeyFilter(
                ObjectProvider<HttpPaths> paths, ObjectProvider<FrontServlet> servlet) {
            return context -> {
                FilterRegistration.Dynamic last =
                        context.addFilter("dedupLastIdempotencyKeyFilter", filter(paths, servlet));
                if (last != null) {
                    last.setAsyncSupported(true);
                    last.addMappingForUrlPatterns(
                            EnumSet.of(DispatcherType.REQUEST, DispatcherType.FORWARD, DispatcherType.ASYNC),
                            true,
                            "/*");
                }
            };
        }

        private static IdempotencyKeyFilter filter(
                ObjectProvider<HttpPaths> paths, ObjectProvider<FrontServlet> servlet) {
            return new IdempotencyKeyFilter(
                    SingletonSupplier.of(paths::getObject),
                    SingletonSupplier.of(() -> servlet.getIfAvailable(() -> FrontServlet.UNKNOWN)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(DispatcherServlet.class)
    static class OfSpringMvc {
        @Bean
        @Lazy // after the handler mappings
        SpringMvc dedupSpringMvc(ApplicationContext context) {
            return new SpringMvc(context);
        }

        @Bean
        SmartInitializingSingleton dedupHttpPathsCheck(ObjectProvider<HttpPaths> paths, ObjectProvider<SpringMvc> mvc) {
            return () -> paths.getObject().check(mvc.getObject()::problem);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass({WebFilter.class, Mono.class})
    static class OfWebFlux {
        @Bean
        IdempotencyKeyWebFilter dedupIdempotencyKeyFilter(
                ObjectProvider<HttpPaths> paths, ObjectProvider<SpringWebFlux> webFlux) {
            return filter(paths, webFlux, IdempotencyKeyWebFilter.ORDER);
        }

        /** Behind all filters of the application, which may rewrite a path. */
        @Bean
        IdempotencyKeyWebFilter dedupLastIdempotencyKeyFilter(
                ObjectProvider<HttpPaths> paths, ObjectProvider<SpringWebFlux> webFlux) {
            return filter(paths, webFlux, Ordered.LOWEST_PRECEDENCE);
        }

        private static IdempotencyKeyWebFilter filter(
                ObjectProvider<HttpPaths> paths, ObjectProvider<SpringWebFlux> webFlux, int order) {
            return new IdempotencyKeyWebFilter(
                    SingletonSupplier.of(paths::getObject), SingletonSupplier.of(webFlux::getObject), order);
        }

        @Bean
        @Lazy // after the handler mappings
        SpringWebFlux dedupSpringWebFlux(ApplicationContext context) {
            return new SpringWebFlux(context);
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
