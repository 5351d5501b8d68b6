package io.dedup.spring.boot.autoconfigure;

import io.dedup.report.DuplicationReports;
import io.dedup.spring.boot.internal.actuator.DedupEndpoint;
import io.dedup.spring.boot.internal.actuator.DedupErasureEndpoint;
import io.dedup.spring.boot.internal.actuator.DedupWebEndpoint;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.outcome.OutcomeCounts;
import io.dedup.spring.boot.internal.store.DedupStores;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Endpoint and health, where the application has Spring Boot's actuator. */
@AutoConfiguration(after = DedupAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "dedup.enabled", matchIfMissing = true)
@Import(DedupHealthConfiguration.class)
final class DedupActuatorAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    @ConditionalOnAvailableEndpoint(DedupEndpoint.class)
    static class OfEndpoint {
        @Bean
        OutcomeCounts dedupOutcomeCounts() {
            return new OutcomeCounts();
        }

        @Bean
        DuplicationReports dedupDuplicationReports() {
            return new DuplicationReports();
        }

        @Bean
        DedupEndpoint dedupEndpoint(
                DeduplicatorRegistry registry, DedupStores stores, OutcomeCounts counts, DuplicationReports reports) {
            return new DedupEndpoint(registry, stores, counts, reports);
        }

        @Bean
        DedupWebEndpoint dedupWebEndpoint(DedupEndpoint endpoint) {
            return new DedupWebEndpoint(endpoint);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    @ConditionalOnAvailableEndpoint(DedupErasureEndpoint.class)
    static class OfErasure {
        @Bean
        DedupErasureEndpoint dedupErasureEndpoint(DeduplicatorRegistry registry) {
            return new DedupErasureEndpoint(registry);
        }
    }
}
