package io.dedup.spring.boot.autoconfigure;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dedup.spring.boot.internal.boot.JsonSteps;
import io.dedup.step.StepCodec;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Results of steps as JSON, with the Jackson of Spring Boot 3.5. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(ObjectMapper.class)
final class DedupStepsConfiguration {
    @Bean
    @ConditionalOnMissingBean(StepCodec.class)
    JsonSteps dedupStepCodec(ObjectProvider<ObjectMapper> mapper) {
        return new JsonSteps(mapper);
    }
}
