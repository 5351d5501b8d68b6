package io.dedup.spring.boot.autoconfigure;

import static io.dedup.spring.boot.autoconfigure.ConfigurationTest.analysis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.annotation.Configuration;

/** Spring Boot 3.5 has health and meters in other packages than 4: the wrong starter would leave them out without a word. */
class BootVersionTest {
    @Configuration(proxyBeanMethods = false)
    static class App {}

    private static SpringApplication application(String version, StarterLine... starters) {
        SpringApplication application = new SpringApplication(App.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.addInitializers(new BootVersionCheck(version, List.of(starters)));
        return application;
    }

    private static FailureAnalysis refusal(String version, StarterLine... starters) {
        FailureAnalysis analysis =
                analysis(catchThrowable(() -> application(version, starters).run()));
        application(version, starters).run("--dedup.enabled=false").close();
        return analysis;
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.5.0", "3.5.16", "3.6.0-SNAPSHOT"})
    @DisplayName("Spring Boot 3.5 with the starter for 4 is refused, and the other starter named")
    void starterForFour(String version) {
        FailureAnalysis analysis = refusal(version, StarterLine.BOOT_4);
        assertThat(analysis.getDescription())
                .startsWith("dedup-spring-boot-starter needs Spring Boot 4, but")
                .contains("has Spring Boot " + version);
        assertThat(analysis.getAction())
                .startsWith("Replace dedup-spring-boot-starter with dedup-spring-boot3-starter,");
        application(version, StarterLine.BOOT_3).run().close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"4.0.0", "4.1.1", "5.0.0-M1", "10.0.0"})
    @DisplayName("Spring Boot 4 and newer with the starter for 3.5 is refused, and the other starter named")
    void starterForThree(String version) {
        FailureAnalysis analysis = refusal(version, StarterLine.BOOT_3);
        assertThat(analysis.getDescription())
                .startsWith("dedup-spring-boot3-starter needs Spring Boot 3.5, but")
                .contains("has Spring Boot " + version);
        assertThat(analysis.getAction())
                .startsWith("Replace dedup-spring-boot3-starter with dedup-spring-boot-starter,");
        application(version, StarterLine.BOOT_4).run().close();
    }

    @ParameterizedTest
    @CsvSource({"3.4.9,BOOT_3", "3.4.9,BOOT_4", "2.7.18,BOOT_3", "2.7.18,BOOT_4", "3,BOOT_3"})
    @DisplayName("what no starter supports is refused with its version and what to do")
    void older(String version, StarterLine starter) {
        FailureAnalysis analysis = refusal(version, starter);
        assertThat(analysis.getDescription()).contains(" needs Spring Boot ").contains("has Spring Boot " + version);
        assertThat(analysis.getAction()).contains("Use Spring Boot 4.1, or Spring Boot 3.5");
    }

    @ParameterizedTest
    @CsvSource({"4.1.1,dedup-spring-boot3-starter", "3.5.16,dedup-spring-boot-starter"})
    @DisplayName("both starters at once are refused, and the wrong one named")
    void both(String version, String wrong) {
        FailureAnalysis analysis = refusal(version, StarterLine.BOOT_3, StarterLine.BOOT_4);
        assertThat(analysis.getDescription())
                .startsWith("dedup-spring-boot3-starter and dedup-spring-boot-starter are both on the class path");
        assertThat(analysis.getAction()).startsWith("Remove " + wrong + ".");
    }

    @Test
    @DisplayName("a version that cannot be read is accepted")
    void unreadable() {
        application("unknown", StarterLine.BOOT_3).run().close();
        application("unknown", StarterLine.BOOT_4).run().close();
    }

    @Test
    @DisplayName("every application looks, before it reads any configuration class")
    void isThere() {
        assertThat(new SpringApplication(App.class).getInitializers())
                .hasAtLeastOneElementOfType(BootVersionCheck.class);
    }

    @Test
    @DisplayName("this module's jar has the marker of the Spring Boot that it is compiled for")
    void marker() {
        assertThat(StarterLine.onClassPath(BootVersionCheck.class.getClassLoader()))
                .containsExactly(StarterLine.of(SpringBootVersion.getVersion()));
    }
}
