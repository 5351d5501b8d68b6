package io.dedup.spring.boot.autoconfigure;

import io.dedup.spring.boot.internal.check.StartCheck;
import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionalOnNotWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** Warns of {@code dedup.http.paths} where nothing serves requests. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnNotWebApplication
@Conditional(HttpDedupAutoConfiguration.OnPaths.class)
final class NoHttpConfiguration {
    @Bean
    StartCheck dedupNoHttpCheck() {
        return served -> List.of(new StartCheck.Warning(
                "dedup.http.paths is set, but this isn't a web application, so that no request is deduplicated",
                "Remove dedup.http.paths, or add spring-boot-starter-web or spring-boot-starter-webflux, and don't set"
                        + " spring.main.web-application-type to none."));
    }
}
