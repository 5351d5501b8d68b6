package io.dedup.testkit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Who writes a store needs no broker on the class path, and who has one broker doesn't need the other. */
@Execution(ExecutionMode.CONCURRENT)
class OptionalDependenciesTest {
    private static final JavaClasses TESTKIT = new ClassFileImporter()
            .importUrl(DedupStoreContract.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation());

    @Test
    @DisplayName("Kafka, RocketMQ and Spring are each known to their own package alone")
    void optional() {
        onlyIn(new String[] {"..testkit.kafka..", "..testkit.spring.."}, "org.apache.kafka..");
        onlyIn(new String[] {"..testkit.rocketmq.."}, "org.apache.rocketmq..");
        onlyIn(new String[] {"..testkit.kafka..", "..testkit.spring.."}, "org.springframework..");
    }

    private static void onlyIn(String[] packages, String library) {
        noClasses()
                .that()
                .resideOutsideOfPackages(packages)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .check(TESTKIT);
    }

    @Test
    @DisplayName("of replays of Kafka topics, only the containers' handle needs Spring")
    void kafkaWithoutSpring() {
        noClasses()
                .that()
                .resideInAPackage("..testkit.kafka..")
                .and()
                .doNotHaveSimpleName("SpringContainers")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework..")
                .check(TESTKIT);
    }
}
