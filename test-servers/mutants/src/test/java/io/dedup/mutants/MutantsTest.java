package io.dedup.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.dedup.mutants.patch.FilePatch;
import io.dedup.mutants.patch.Mutant;
import io.dedup.mutants.patch.TestName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Mutants rot when the sources change: this finds it in the ordinary build, without running any. */
class MutantsTest {
    private static final Path CHECKOUT = Path.of("../..");
    private static final Path CONTRACTS = CHECKOUT.resolve("dedup-testkit/src/main/java/io/dedup/testkit/internal");
    private static final Pattern ROW = Pattern.compile("^\\| \\*\\*(.*?)\\*\\*");
    private static List<Mutant> mutants = List.of();

    @BeforeAll
    static void read() throws IOException {
        mutants = Mutant.allIn(CHECKOUT.resolve(MutantsMain.PATCHES));
    }

    @TestFactory
    Stream<DynamicTest> applies() {
        return mutants.stream()
                .map(mutant -> dynamicTest(mutant.name(), () -> {
                    for (FilePatch patch : mutant.files()) {
                        assertThat(patch.module()).isEqualTo(mutant.module());
                        assertThat(patch.applied(CHECKOUT))
                                .isNotEqualTo(Files.readAllLines(CHECKOUT.resolve(patch.file())));
                    }
                }));
    }

    @TestFactory
    Stream<DynamicTest> itsTestExists() {
        return mutants.stream()
                .map(mutant -> dynamicTest(mutant.name(), () -> {
                    TestName killer = mutant.killer();
                    assertThat(killer.source(CHECKOUT)).exists();
                    Pattern method = Pattern.compile("\\b" + Pattern.quote(killer.method()) + "\\(");
                    assertThat(Stream.concat(Stream.of(killer.source(CHECKOUT)), inherited(killer))
                                    .anyMatch(source ->
                                            method.matcher(read(source)).find()))
                            .as("%s has a method %s", killer.type(), killer.method())
                            .isTrue();
                }));
    }

    /** Only a store's contract is inherited. */
    private static Stream<Path> inherited(TestName killer) throws IOException {
        if (!read(killer.source(CHECKOUT)).contains("extends DedupStoreContract")) {
            return Stream.of();
        }
        try (Stream<Path> files = Files.walk(CONTRACTS)) {
            return files.filter(file -> file.toString().endsWith("Contract.java")).toList().stream();
        }
    }

    @Test
    void eachRuleOfTheArchitectureHasOne() throws IOException {
        List<String> rules = Files.readAllLines(CHECKOUT.resolve("docs/architecture.md")).stream()
                .dropWhile(line -> !line.startsWith("## What a change can break unnoticed"))
                .takeWhile(line -> !line.startsWith("Locks:"))
                .map(ROW::matcher)
                .filter(Matcher::find)
                .map(row -> withoutFullStop(row.group(1)))
                .toList();
        assertThat(rules).hasSizeGreaterThan(20);
        assertThat(mutants.stream().map(Mutant::row).filter(Objects::nonNull).distinct())
                .containsExactlyInAnyOrderElementsOf(rules);
    }

    private static String withoutFullStop(String rule) {
        return rule.endsWith(".") ? rule.substring(0, rule.length() - 1) : rule;
    }

    @Test
    void thePageNamesAllOfThem() {
        String page = read(CHECKOUT.resolve("docs/mutants.md"));
        String table = page.substring(page.indexOf("<!-- results -->"), page.indexOf("## Pitest"));
        assertThat(mutants.stream().map(Mutant::name))
                .allSatisfy(name -> assertThat(page).contains("| `" + name + "` |"));
        assertThat(Pattern.compile("(?m)^\\| `").matcher(table).results().count())
                .isEqualTo(mutants.size());
    }

    @Test
    void thePageOfTheSimulationNamesThoseThatItMustFind() {
        String page = read(CHECKOUT.resolve("docs/simulation.md"));
        String table = page.substring(page.indexOf("<!-- hunted -->"), page.indexOf("<!-- /hunted -->"));
        List<String> hunted = mutants.stream()
                .filter(mutant -> mutant.simulation() != null)
                .map(Mutant::name)
                .toList();
        assertThat(hunted).hasSizeGreaterThanOrEqualTo(20);
        assertThat(Pattern.compile("(?m)^\\| `([^`]+)`")
                        .matcher(table)
                        .results()
                        .map(row -> row.group(1)))
                .containsExactlyElementsOf(hunted);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
