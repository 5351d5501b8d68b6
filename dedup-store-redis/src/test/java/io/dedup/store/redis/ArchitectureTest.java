package io.dedup.store.redis;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaModifier.SYNCHRONIZED;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.dedup.rules.Rooms;
import java.util.Set;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How the module is divided into packages, and which of them may know what. */
class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .importUrl(
                    RedisDedupStore.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    @DisplayName("packages are small and form no circle")
    void rooms() {
        Rooms.of(RedisDedupStore.class).check();
    }

    @Test
    @DisplayName("one class waits for answers, so that no wait is without a deadline")
    void waiting() {
        noClasses()
                .that()
                .doNotHaveSimpleName("CommandExchange")
                .should()
                .callMethodWhere(describe(
                        "a future is waited for",
                        call -> call.getTargetOwner().isAssignableTo(Future.class)
                                && Set.of("get", "join", "await").contains(call.getName())))
                .check(CLASSES);
    }

    @Test
    @DisplayName("only what connects to servers knows Lettuce's clients")
    void clients() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "io.dedup.store.redis",
                        "io.dedup.store.redis.internal.client..",
                        "io.dedup.store.redis.internal.server..")
                .should()
                .dependOnClassesThat()
                .haveSimpleNameEndingWith("Client")
                .check(CLASSES);
    }

    @Test
    @DisplayName("Netty is known where connections are set up and where arguments are encoded")
    void netty() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "io.dedup.store.redis.internal.client..", "io.dedup.store.redis.internal.script..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.netty..")
                .check(CLASSES);
    }

    @Test
    @DisplayName("nothing belongs to a thread, and nothing is guarded by a monitor")
    void threads() {
        noFields().should().haveRawType(assignableTo(ThreadLocal.class)).check(CLASSES);
        noFields()
                .should(be(describe(
                        "of threads",
                        (JavaField field) -> field.getType().getAllInvolvedRawTypes().stream()
                                .anyMatch(type -> type.isEquivalentTo(Thread.class)))))
                .check(CLASSES);
        noMethods().should().haveModifier(SYNCHRONIZED).check(CLASSES);
    }
}
