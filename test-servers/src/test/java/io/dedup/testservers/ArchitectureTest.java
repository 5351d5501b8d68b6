package io.dedup.testservers;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.dedup.rules.Rooms;
import io.dedup.testservers.rocketmq.program.RocketMqProgram;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How this module is divided: a package for each kind of server, above what they share. */
class ArchitectureTest {
    private static final JavaClasses SERVERS = new ClassFileImporter()
            .importUrl(Settings.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    @DisplayName("packages and circles stay small")
    void rooms() {
        Rooms.of(Settings.class).check();
        Rooms.of(RocketMqProgram.class).check();
    }

    @Test
    @DisplayName("no kind of server knows another")
    void kinds() {
        slices().matching("io.dedup.testservers.(kafka|redis|sql|rocketmq)..")
                .should()
                .notDependOnEachOther()
                .check(SERVERS);
    }

    @Test
    @DisplayName("what the servers share knows none of them")
    void shared() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.dedup.testservers",
                        "io.dedup.testservers.process",
                        "io.dedup.testservers.install",
                        "io.dedup.testservers.containers")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("..kafka..", "..redis..", "..sql..", "..rocketmq..")
                .check(SERVERS);
    }

    @Test
    @DisplayName("only the classes that start containers need Testcontainers")
    void containers() {
        noClasses()
                .that()
                .haveSimpleNameNotContaining("Container")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.testcontainers..")
                .check(SERVERS);
    }
}
