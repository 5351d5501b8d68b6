package io.dedup.ledger;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.dedup.rules.Rooms;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final String ROOM = "io.dedup.ledger.scheme";

    @Test
    void packagesAreSmallAndFormNoCircle() {
        Rooms.of(LedgerMain.class).check();
    }

    @Test
    void schemesOfOthersUseNothingOfTheFramework() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAPackage("io.dedup..").and(not(resideInAPackage(ROOM))))
                .check(new ClassFileImporter(List.of(new ImportOption.DoNotIncludeTests())).importPackages(ROOM));
    }
}
