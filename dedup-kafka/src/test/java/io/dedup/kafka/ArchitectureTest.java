package io.dedup.kafka;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.dedup.rules.Rooms;
import org.junit.jupiter.api.Test;

/** How this module is divided, beyond the rules that every module has. */
class ArchitectureTest {
    private static final String ROOT = "io.dedup.kafka";
    private static final String INTERNAL = ROOT + ".internal.";

    private final JavaClasses classes = new ClassFileImporter()
            .importUrl(KafkaDedup.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void roomsAreSmallAndFormNoCircle() {
        Rooms.of(KafkaDedup.class).check();
    }

    @Test
    void onlyTheFacadeKnowsShareGroups() {
        noClasses()
                .that()
                .resideOutsideOfPackage(INTERNAL + "share..")
                .and()
                .doNotHaveSimpleName("ShareGroupDedup")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(INTERNAL + "share..")
                .check(classes);
    }

    @Test
    void whatMayBeCommittedIsDecidedWithoutContainersAndConsumers() {
        noClasses()
                .that()
                .resideInAPackage(INTERNAL + "ack..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("org.springframework.kafka.listener..").or(simpleName("KafkaConsumer")))
                .check(classes);
    }

    @Test
    void noStateIsKeptInThreadLocals() {
        fields().should().notHaveRawType(ThreadLocal.class).check(classes);
    }
}
