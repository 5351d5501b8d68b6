package io.dedup.testkit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.dedup.rules.Rooms;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A store's author needs no broker on the class path, and a user of one broker doesn't need the other. */
@Execution(ExecutionMode.CONCURRENT)
class ArchitectureTest {
    private static final JavaClasses TESTKIT = new ClassFileImporter()
            .importUrl(DedupStoreContract.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation());

    @Test
    @DisplayName("packages and circles stay small, and nothing uses what is internal elsewhere")
    void rooms() {
        Rooms.of(DedupStoreContract.class).check();
    }

    @Test
    @DisplayName(
            "the store contract, the faults and the replays know nothing of each other; fault plans are made of both")
    void threeSubjects() {
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public String getDescription() {
                        return "contract, faults and replays";
                    }

                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass each) {
                        return subject(each.getPackageName());
                    }
                })
                .should()
                .notDependOnEachOther()
                .check(TESTKIT);
    }

    private static SliceIdentifier subject(String packageName) {
        if (!packageName.startsWith("io.dedup.testkit")) {
            return SliceIdentifier.ignore();
        }
        String room = packageName.substring("io.dedup.testkit".length());
        if (room.startsWith(".plan")) {
            return SliceIdentifier.ignore();
        }
        if (room.isEmpty() || room.startsWith(".internal") || room.startsWith(".fixture")) {
            return SliceIdentifier.of("contract");
        }
        return SliceIdentifier.of(room.startsWith(".faults") ? "faults" : "replays");
    }

    @Test
    @DisplayName(
            "fault plans know no broker and nothing of the store contract, and neither faults nor replays know of plans")
    void plans() {
        noClasses()
                .that()
                .resideInAPackage("..testkit.plan..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "..testkit",
                        "..testkit.internal..",
                        "..testkit.fixture..",
                        "..testkit.kafka..",
                        "..testkit.rocketmq..")
                .check(TESTKIT);
        noClasses()
                .that()
                .resideInAnyPackage("..testkit.faults..", "..testkit.replay..", "..testkit", "..testkit.internal..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("..testkit.plan..")
                .check(TESTKIT);
    }

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
