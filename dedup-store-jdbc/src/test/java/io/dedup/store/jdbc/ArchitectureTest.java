package io.dedup.store.jdbc;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaModifier.ABSTRACT;
import static com.tngtech.archunit.core.domain.JavaModifier.FINAL;
import static com.tngtech.archunit.core.domain.JavaModifier.STATIC;
import static com.tngtech.archunit.core.domain.JavaModifier.SYNTHETIC;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.dedup.rules.Rooms;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;

/** How this module is divided, and what its parts may know. */
class ArchitectureTest {
    private static final String INTERNAL = "io.dedup.store.jdbc.internal.";
    private static final JavaClasses MODULE = new ClassFileImporter()
            .importUrl(
                    JdbcDedupStore.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void packagesAndClassesAreSmallAndFormNoLargeCircle() {
        Rooms.of(JdbcDedupStore.class).check();
    }

    /** A fourth database is a package of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"generic", "mysql", "postgres"})
    void onlyTheStartKnowsADialect(String dialect) {
        noClasses()
                .that()
                .resideOutsideOfPackages(INTERNAL + dialect, INTERNAL + "start")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(INTERNAL + dialect)
                .check(MODULE);
    }

    @Test
    void rowsAndStatementsKnowNoFramework() {
        noClasses()
                .that()
                .resideInAnyPackage(INTERNAL + "sql", INTERNAL + "row")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework..", "org.slf4j..")
                .check(MODULE);
    }

    /** A claim must never become part of the caller's transaction: what claims knows nothing of transactions of Spring's. */
    @Test
    void onlyTransactionsKnowThoseOfSpring() {
        noClasses()
                .that()
                .resideInAPackage("io.dedup.store.jdbc.internal..")
                .and()
                .resideOutsideOfPackage(INTERNAL + "transaction")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.transaction..")
                .check(MODULE);
    }

    /** One class knows JPA, and leaves it alone where it is missing. */
    @Test
    void noDriverAndNoPoolIsNeeded() {
        classes()
                .that()
                .doNotHaveFullyQualifiedName(INTERNAL + "transaction.UnwrittenEntities")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..", "javax.sql..", "org.jspecify..", "org.slf4j..", "org.springframework..", "io.dedup..")
                .check(MODULE);
    }

    @Test
    void classesAreFinal() {
        classes()
                .that()
                .areNotInterfaces()
                .and()
                .areNotEnums()
                .and()
                .areNotAnonymousClasses()
                .should()
                .haveModifier(FINAL)
                .orShould()
                .haveModifier(ABSTRACT)
                .check(MODULE);
    }

    @Test
    void nothingBelongsToAThread() {
        noFields()
                .should()
                .haveRawType(assignableTo(ThreadLocal.class))
                .orShould(be(describe(
                        "a collection of threads",
                        (JavaField field) -> field.getType().getAllInvolvedRawTypes().stream()
                                        .anyMatch(type -> type.isEquivalentTo(Thread.class))
                                && !field.getRawType().isEquivalentTo(Thread.class))))
                .check(MODULE);
    }

    @Test
    void fieldsArePrivateAndStaticOnesFinal() {
        fields().that()
                .areDeclaredInClassesThat()
                .areNotEnums()
                .and()
                .doNotHaveModifier(SYNTHETIC)
                .should()
                .bePrivate()
                .orShould()
                .haveModifier(STATIC)
                .check(MODULE);
        fields().that().areStatic().should().beFinal().check(MODULE);
        fields().that()
                .haveRawType(Logger.class)
                .should()
                .bePrivate()
                .andShould()
                .beStatic()
                .check(MODULE);
    }
}
