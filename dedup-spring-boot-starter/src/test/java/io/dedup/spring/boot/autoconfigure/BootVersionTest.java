package io.dedup.spring.boot.autoconfigure;

import static io.dedup.spring.boot.autoconfigure.ConfigurationTest.analysis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.annotation.Configuration;

/** Spring Boot 3.5 has health and meters in other packages: the starter would leave them out without a word. */
class BootVersionTest {
    @Configuration(proxyBeanMethods = false)
    static class App {}

    private static SpringApplication application(String version) {
        SpringApplication application = new SpringApplication(App.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.addInitializers(new BootVersionCheck(version));
        return application;
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.5.9", "3.4.0-SNAPSHOT", "2.7.18"})
    @DisplayName("an older Spring Boot is refused, with its version and what to do")
    void older(String version) {
        FailureAnalysis analysis =
                analysis(catchThrowable(() -> application(version).run()));
        assertThat(analysis.getDescription()).contains("needs Spring Boot 4").contains("has Spring Boot " + version);
        assertThat(analysis.getAction()).contains("Use Spring Boot 4.1");
        application(version).run("--dedup.enabled=false").close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"4.0.0", "4.1.1", "5.0.0-M1", "10.0.0", "unknown"})
    @DisplayName("a newer one isn't, nor one whose version can't be read")
    void newer(String version) {
        application(version).run().close();
    }

    @Test
    @DisplayName("every application looks, before it reads any configuration class")
    void isThere() {
        assertThat(new SpringApplication(App.class).getInitializers())
                .hasAtLeastOneElementOfType(BootVersionCheck.class);
    }
}
