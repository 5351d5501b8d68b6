package io.dedup.spring.boot.autoconfigure;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.check.RiskCheck;
import java.util.List;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnNotWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** Reports {@code dedup.http.paths} that nothing would deduplicate: no request is served, or dedup-http is missing. */
@Configuration(proxyBeanMethods = false)
@Conditional(HttpDedupAutoConfiguration.OnPaths.class)
final class NoHttpConfiguration {
    @Bean
    @ConditionalOnNotWebApplication
    RiskCheck dedupNoHttpCheck() {
        return served -> List.of(new RiskCheck.Warning(
                "dedup.http.paths is set, but this isn't a web application, so that no request is deduplicated",
                "Remove dedup.http.paths, or add spring-boot-starter-web or spring-boot-starter-webflux, and don't set"
                        + " spring.main.web-application-type to none."));
    }

    /** Requests would run as if nothing were configured. */
    @Bean
    @ConditionalOnWebApplication
    @ConditionalOnMissingClass("io.dedup.http.HttpPaths")
    SmartInitializingSingleton dedupNoHttpModule() {
        return () -> {
            throw new DedupConfigurationException(
                    "dedup.http.paths is set, but dedup-http is not on the class path, so that no request would be deduplicated.",
                    "Add the dependency io.dedup:dedup-http, in the version of the starter, or remove dedup.http.paths.");
        };
    }
}
