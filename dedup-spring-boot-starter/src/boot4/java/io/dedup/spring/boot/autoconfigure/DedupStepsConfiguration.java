package io.dedup.spring.boot.autoconfigure;

import io.dedup.spring.boot.internal.boot.JsonSteps;
import io.dedup.step.StepCodec;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** Results of steps as JSON, with the Jackson of Spring Boot 4. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(JsonMapper.class)
final class DedupStepsConfiguration {
    @Bean
    @ConditionalOnMissingBean(StepCodec.class)
    JsonSteps dedupStepCodec(ObjectProvider<JsonMapper> mapper) {
        return new JsonSteps(mapper);
    }
}
