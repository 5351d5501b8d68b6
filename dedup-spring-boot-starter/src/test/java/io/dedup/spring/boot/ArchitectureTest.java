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

    /** Packages of optional dependencies, and the package of this module that may use them besides the auto-configurations. */
    private static final Map<String, String> OPTIONAL = Map.ofEntries(
            Map.entry("org.springframework.kafka..", BASE + ".internal.kafka.."),
            Map.entry("org.apache.kafka..", BASE + ".internal.kafka.."),
            Map.entry("io.dedup.kafka..", BASE + ".internal.kafka.."),
            Map.entry("org.springframework.cloud..", BASE + ".internal.kafka.stream"),
            Map.entry("org.springframework.integration.kafka..", BASE + ".internal.kafka.inbound"),
            Map.entry("org.apache.rocketmq..", BASE + ".internal.rocketmq"),
            Map.entry("io.dedup.rocketmq..", BASE + ".internal.rocketmq"),
            Map.entry("org.springframework.boot.actuate..", BASE + ".internal.actuator"),
            Map.entry("org.springframework.boot.health..", BASE + ".internal.actuator"),
            Map.entry("io.micrometer.core..", BASE + ".internal.metrics"),
            Map.entry("io.micrometer.tracing..", BASE + ".internal.tracing"),
            Map.entry("io.lettuce..", BASE + ".internal.store"),
            Map.entry("io.dedup.store.redis..", BASE + ".internal.store"),
            Map.entry("org.springframework.boot.data.redis..", BASE + ".internal.store"),
            Map.entry("io.dedup.store.jdbc..", BASE + ".internal.store"),
            Map.entry("org.springframework.transaction..", BASE + ".internal.store"));

    private final JavaClasses classes = new ClassFileImporter()
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
                .check(classes);
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
                .check(classes);
    }

    @Test
    void nothingIsKeptByThread() {
        noClasses()
                .should()
                .dependOnClassesThat(assignableTo(ThreadLocal.class))
                .check(classes);
    }
}
