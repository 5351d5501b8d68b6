package io.dedup.spring.boot;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.dedup.rules.Rooms;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How this module is divided into packages, and which of them may use what an application needn't have. */
class ArchitectureTest {
    private static final String BASE = "io.dedup.spring.boot";
    private static final String AUTO_CONFIGURATIONS = BASE + ".autoconfigure";

    /** What has other names in each line of Spring Boot; src/main, which is compiled for all of them, has no class in it. */
    private static final String BOOT = BASE + ".internal.boot";

    /** Packages of optional dependencies, and the package of this module that may use them besides the auto-configurations. */
    private static final Map<String, String> OPTIONAL = Map.ofEntries(
            Map.entry("org.springframework.kafka..", BASE + ".internal.kafka.."),
            Map.entry("org.apache.kafka..", BASE + ".internal.kafka.."),
            Map.entry("io.dedup.kafka..", BASE + ".internal.kafka.."),
            Map.entry("org.apache.rocketmq..", BASE + ".internal.[rocketmq|rocketmqspring|rocketmqv5spring]"),
            Map.entry("org.apache.rocketmq.client.apis..", BASE + ".internal.[rocketmq|rocketmqv5spring]"),
            Map.entry("org.apache.rocketmq.client.support..", BASE + ".internal.rocketmqv5spring"),
            Map.entry("org.apache.rocketmq.client.annotation..", BASE + ".internal.rocketmqv5spring"),
            Map.entry("org.apache.rocketmq.spring..", BASE + ".internal.rocketmqspring"),
            Map.entry("org.apache.rocketmq.common..", BASE + ".internal.rocketmqspring"),
            Map.entry("io.dedup.rocketmq", BASE + ".internal.[rocketmq|rocketmqv5spring]"),
            Map.entry("io.dedup.rocketmq.remoting..", BASE + ".internal.rocketmqspring"),
            Map.entry("org.springframework.boot.actuate.endpoint..", BASE + ".internal.actuator"),
            Map.entry("org.springframework.boot.actuate.health..", BOOT),
            Map.entry("org.springframework.boot.health..", BOOT),
            Map.entry("org.springframework.cloud..", BASE + ".internal.kafka.stream"),
            Map.entry("org.springframework.integration.kafka..", BASE + ".internal.kafka.inbound"),
            Map.entry("io.micrometer.core..", BASE + ".internal.metrics"),
            Map.entry("io.micrometer.tracing..", BASE + ".internal.tracing"),
            Map.entry("io.lettuce..", BASE + ".internal.store"),
            Map.entry("io.dedup.store.redis..", BASE + ".internal.store"),
            Map.entry("org.springframework.boot.data.redis..", BOOT),
            Map.entry("org.springframework.boot.autoconfigure.data.redis..", BOOT),
            Map.entry("io.dedup.store.jdbc..", BASE + ".internal.store"),
            Map.entry("io.dedup.http..", BASE + ".internal.http"),
            Map.entry("org.springframework.web.context.request..", BASE + ".internal.call"),
            Map.entry("org.springframework.transaction..", BASE + ".internal.store"));

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .importUrl(Deduplicated.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void rooms() {
        Rooms.of(Deduplicated.class).check();
    }

    @Test
    void whatUsersSeeKnowsNothingOfTheRest() {
        noClasses()
                .that()
                .resideInAPackage(BASE)
                .should()
                .dependOnClassesThat(resideInAPackage(BASE + "..").and(not(resideInAPackage(BASE))))
                .check(CLASSES);
    }

    static Set<Map.Entry<String, String>> optional() {
        return OPTIONAL.entrySet();
    }

    @ParameterizedTest
    @MethodSource("optional")
    void anOptionalDependencyIsUsedInItsPackageOnly(Map.Entry<String, String> optional) {
        noClasses()
                .that()
                .resideOutsideOfPackages(optional.getValue(), AUTO_CONFIGURATIONS)
                .should()
                .dependOnClassesThat(resideInAnyPackage(optional.getKey()))
                .check(CLASSES);
    }

    /** Requests are dedup-http's business. */
    @Test
    void onlyAutoConfigurationsKnowFiltersAndServers() {
        noClasses()
                .that()
                .resideOutsideOfPackages(AUTO_CONFIGURATIONS, BASE + ".internal.call")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "org.springframework.web..", "org.springframework.http..", "jakarta.servlet..", "reactor.."))
                .check(CLASSES);
    }

    @Test
    void nothingIsKeptByThread() {
        noClasses()
                .should()
                .dependOnClassesThat(assignableTo(ThreadLocal.class))
                .check(CLASSES);
    }
}
