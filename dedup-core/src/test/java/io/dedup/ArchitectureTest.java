package io.dedup;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaModifier.ABSTRACT;
import static com.tngtech.archunit.core.domain.JavaModifier.FINAL;
import static com.tngtech.archunit.core.domain.JavaModifier.STATIC;
import static com.tngtech.archunit.core.domain.JavaModifier.SYNCHRONIZED;
import static com.tngtech.archunit.core.domain.JavaModifier.SYNTHETIC;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.dedup.rules.Rooms;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the core may look like, besides the rules that hold for every module. */
class ArchitectureTest {
    private static final JavaClasses CORE = new ClassFileImporter()
            .importUrl(Deduplicator.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void roomsAreSmallAndFormNoCircle() {
        Rooms.of(Deduplicator.class).check();
    }

    @Test
    void knowsNoFrameworkAndNoDriver() {
        classes()
                .that()
                .doNotHaveSimpleName("JsonPointerReader")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "javax.crypto..", "org.slf4j..", "org.jspecify..", "io.dedup..")
                .check(CORE);
    }

    @Test
    void onlyOneClassKnowsJackson() {
        noClasses()
                .that()
                .doNotHaveSimpleName("JsonPointerReader")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("tools.jackson..", "com.fasterxml..")
                .check(CORE);
    }

    /** From the bottom to the top: a floor knows nothing of those above it. */
    @Test
    void floorsKnowNothingOfThoseAboveThem() {
        List<String> floors = List.of(
                "io.dedup.text",
                "io.dedup.duplicate",
                "io.dedup.policy",
                "io.dedup.migration",
                "io.dedup.privacy",
                "io.dedup.step",
                "io.dedup",
                "io.dedup.report",
                "io.dedup.id",
                "io.dedup.store..",
                "io.dedup.adapter.advice",
                "io.dedup.adapter",
                "io.dedup.adapter.inplace",
                "io.dedup.adapter.poll",
                "io.dedup.internal..",
                "io.dedup.engine");
        for (int i = 0; i + 1 < floors.size(); i++) {
            noClasses()
                    .that()
                    .resideInAPackage(floors.get(i))
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(floors.subList(i + 1, floors.size()).toArray(String[]::new))
                    .check(CORE);
        }
    }

    @Test
    void nothingButTheBuilderAndItselfKnowsTheInternals() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.dedup.internal..", "io.dedup.engine")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.dedup.internal..")
                .check(CORE);
    }

    @Test
    void nothingButItselfKnowsTheInMemoryStore() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.dedup.store.memory..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.dedup.store.memory..")
                .check(CORE);
    }

    @Test
    void classesAreFinalOrMadeToBeExtended() {
        classes()
                .that()
                .areNotInterfaces()
                .and()
                .areNotEnums()
                .and()
                .areNotAnonymousClasses()
                .and()
                .doNotHaveFullyQualifiedName(DedupStoreException.class.getName()) // stores have their own kinds of it
                .should()
                .haveModifier(FINAL)
                .orShould()
                .haveModifier(ABSTRACT)
                .check(CORE);
    }

    @Test
    void thereIsNoStaticMutableState() {
        fields().that().areStatic().should().beFinal().check(CORE);
        noFields()
                .that()
                .areStatic()
                .and()
                .doNotHaveModifier(SYNTHETIC) // the compiler's tables for switches over enums
                .should()
                .haveRawType(describe(
                        "a mutable type",
                        type -> type.isArray() || type.getName().startsWith("java.util.concurrent.")))
                .check(CORE);
    }

    @Test
    void nothingBelongsToAThread() {
        noFields().should().haveRawType(assignableTo(ThreadLocal.class)).check(CORE);
        noMethods().should().haveModifier(SYNCHRONIZED).check(CORE);
    }

    @Test
    void fieldsArePrivateExceptForConstants() {
        fields().that()
                .areDeclaredInClassesThat()
                .areNotEnums()
                .and()
                .doNotHaveModifier(SYNTHETIC)
                .should()
                .bePrivate()
                .orShould()
                .haveModifier(STATIC)
                .check(CORE);
    }

    @Test
    void standardStreamsAreNotWrittenTo() {
        NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(CORE);
    }

    @Test
    void nothingWaitsInsideAStore() {
        noMethods()
                .that()
                .areDeclaredInClassesThat()
                .resideInAPackage("io.dedup.store..")
                .should(be(describe(
                        "waiting",
                        (JavaMethod method) -> method.getMethodCallsFromSelf().stream()
                                .anyMatch(call -> call.getTargetOwner().isEquivalentTo(Thread.class)
                                        || call.getTargetOwner().isEquivalentTo(LockSupport.class)))))
                .check(CORE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"src/main/java", "src/test/java"})
    void nothingSleepsOrLocksByMonitor(String root) {
        Pattern wrong = Pattern.compile("Thread\\.sleep|TimeUnit\\.\\w+\\.sleep|\\bsynchronized\\s*\\(");
        for (Path file : sources(root)) {
            if (!file.endsWith("ArchitectureTest.java")) {
                assertThat(linesOf(file))
                        .as(file.toString())
                        .noneMatch(line -> wrong.matcher(line).find());
            }
        }
    }

    private static List<Path> sources(String root) {
        try (Stream<Path> files = Files.walk(Path.of(root))) {
            List<Path> sources =
                    files.filter(file -> file.toString().endsWith(".java")).toList();
            assertThat(sources).hasSizeGreaterThan(10);
            return sources;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> linesOf(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
