package io.dedup.kafka.clients;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.dedup.rules.Rooms;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses MODULE = new ClassFileImporter()
            .importUrl(DedupPoll.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void roomsAreSmallAndFormNoCircle() {
        Rooms.of(DedupPoll.class).check();
    }

    @Test
    void needsNoSpringAndNothingOfTheSpringModule() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAPackage("org.springframework..")
                        .or(resideInAPackage("io.dedup.kafka"))
                        .or(resideInAPackage("io.dedup.kafka.internal..")))
                .check(MODULE);
    }

    @Test
    void onlyHandledOffsetsCommitsAndOnlyPositionsSeeks() {
        noClasses()
                .that()
                .doNotHaveSimpleName("HandledOffsets")
                .should()
                .callMethodWhere(com.tngtech.archunit.core.domain.JavaAccess.Predicates.target(
                        com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching(
                                "commit(Sync|Async)")))
                .check(MODULE);
        noClasses()
                .that()
                .doNotHaveSimpleName("Positions")
                .should()
                .callMethodWhere(com.tngtech.archunit.core.domain.JavaAccess.Predicates.target(
                        com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching("seek.*")))
                .check(MODULE);
    }

    @Test
    void noStateIsKeptInThreadLocals() {
        fields().should().notHaveRawType(ThreadLocal.class).check(MODULE);
    }
}
