package io.dedup.kafka;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.dedup.rules.Rooms;
import java.util.Map;
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

    /**
     * Whatever else depends on the thread asks it, or is given the object. Replies are sent by a template that spring-kafka calls
     * with nothing but the reply, on the handler's thread.
     */
    @Test
    void oneClassKnowsWhichConsumerRunsOnWhichThread() {
        fields().that(areMapsByThread())
                .should()
                .beDeclaredInClassesThat(simpleName("ConsumerThreads"))
                .check(classes);
    }

    private static DescribedPredicate<JavaField> areMapsByThread() {
        return DescribedPredicate.describe(
                "are maps by thread",
                field -> field.getRawType().isAssignableTo(Map.class)
                        && field.getAllInvolvedRawTypes().stream().anyMatch(type -> type.isEquivalentTo(Thread.class)));
    }

    /** Where three threads meet there are locks; here there are none, and so nothing that other threads call. */
    @Test
    void pollsBelongToTheConsumersThread() {
        noClasses()
                .that()
                .resideInAPackage(INTERNAL + "poll..")
                .should()
                .dependOnClassesThat(resideInAPackage("java.util.concurrent.locks..")
                        .and(not(simpleName("LockSupport")))
                        .or(simpleName("Timer"))
                        .or(resideInAPackage(INTERNAL + "consumer..")))
                .check(classes);
    }
}
