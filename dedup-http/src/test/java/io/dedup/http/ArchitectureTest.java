package io.dedup.http;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.dedup.rules.Rooms;
import org.junit.jupiter.api.Test;

/** How this module is divided, and which of its classes may use what an application needn't have. */
class ArchitectureTest {
    private static final String BASE = "io.dedup.http";
    private static final String SERVLET = BASE + ".internal.servlet";
    private static final String REACTIVE = BASE + ".internal.reactive";

    private static final JavaClasses MODULE = new ClassFileImporter()
            .importUrl(HttpPaths.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void rooms() {
        Rooms.of(HttpPaths.class).check();
    }

    @Test
    void servletsAreUsedInTheirPackageAndDoorOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackage(SERVLET)
                .and()
                .doNotBelongToAnyOf(ServletDedup.class)
                .should()
                .dependOnClassesThat(resideInAnyPackage("jakarta.servlet..", "org.springframework.web.servlet.."))
                .check(MODULE);
    }

    @Test
    void webFluxIsUsedInItsPackageAndDoorOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackage(REACTIVE)
                .and()
                .doNotBelongToAnyOf(WebFluxDedup.class)
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "reactor..",
                        "org.springframework.web.server..",
                        "org.springframework.web.reactive..",
                        "org.springframework.http.server.reactive.."))
                .check(MODULE);
    }

    @Test
    void nothingOfSpringBootIsNeeded() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("org.springframework.boot..", "io.dedup.spring.."))
                .check(MODULE);
    }

    @Test
    void nothingIsKeptByThread() {
        noClasses()
                .should()
                .dependOnClassesThat(assignableTo(ThreadLocal.class))
                .check(MODULE);
    }
}
