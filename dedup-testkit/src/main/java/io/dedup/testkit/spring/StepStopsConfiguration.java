package io.dedup.testkit.spring;

import io.dedup.testkit.plan.StepStops;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Found by Spring Boot in processes of fault plans, so that an application's own code need not know of them. */
@Configuration(proxyBeanMethods = false)
@Conditional(StepStopsConfiguration.InFaultPlan.class)
class StepStopsConfiguration {
    static final class InFaultPlan implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return StepStops.inFaultPlan();
        }
    }

    @Bean
    StepStops dedupStepStops() {
        return new StepStops();
    }
}
