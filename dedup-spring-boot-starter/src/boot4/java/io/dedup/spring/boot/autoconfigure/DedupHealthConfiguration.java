package io.dedup.spring.boot.autoconfigure;

import io.dedup.spring.boot.internal.boot.DedupHealthIndicator;
import io.dedup.spring.boot.internal.store.DedupStores;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Health, with the classes of Spring Boot 4. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
final class DedupHealthConfiguration {
    @Bean
    @ConditionalOnEnabledHealthIndicator("dedup")
    DedupHealthIndicator dedupHealthIndicator(DedupStores stores) {
        return new DedupHealthIndicator(stores);
    }
}
