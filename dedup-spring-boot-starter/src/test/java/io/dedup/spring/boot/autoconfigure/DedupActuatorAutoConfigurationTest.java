package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.spring.boot.internal.actuator.DedupEndpoint;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class DedupActuatorAutoConfigurationTest {
    @Test
    void onlyReadsByDefault() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(DedupAutoConfiguration.class, DedupActuatorAutoConfiguration.class))
                .withPropertyValues("management.endpoints.web.exposure.include=dedup")
                .run(context -> assertThat(context.getBean(DedupEndpoint.class)
                                .getClass()
                                .getAnnotation(Endpoint.class)
                                .defaultAccess())
                        .isEqualTo(Access.READ_ONLY));
    }
}
