package io.dedup.testkit.spring;

import io.dedup.testkit.plan.StepStops;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Found by Spring Boot, so that an application's own code need not know of fault plans. */
@Configuration(proxyBeanMethods = false)
class StepStopsConfiguration {
    @Bean
    StepStops dedupStepStops() {
        return new StepStops();
    }
}
