package io.dedup.spring.boot.autoconfigure;

import io.dedup.spring.boot.internal.metrics.DedupMeters;
import io.dedup.spring.boot.internal.metrics.RedisMeters;
import io.dedup.spring.boot.internal.metrics.WindowAdvisor;
import io.dedup.spring.boot.internal.store.DedupStores;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Meters, where the application has a registry for them. */
@AutoConfiguration(
        after = DedupAutoConfiguration.class,
        afterName = { // in Spring Boot 4 and in 3.5
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnBooleanProperty(name = "dedup.enabled", matchIfMissing = true)
final class DedupMetricsAutoConfiguration {
    @Bean
    DedupMeters dedupMeters(MeterRegistry registry) {
        return new DedupMeters(registry, new WindowAdvisor(System::nanoTime));
    }

    /** Where records may be packed. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty("dedup.redis.packed.expected-ids")
    static final class Redis {
        @Bean
        RedisMeters dedupRedisMeters(MeterRegistry registry, DedupStores stores) {
            return new RedisMeters(registry, stores);
        }
    }
}
