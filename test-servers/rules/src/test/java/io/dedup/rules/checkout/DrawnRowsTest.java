package io.dedup.rules.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each promise says which draws of the simulation and of the ledgers cover it, or why only tests do. */
class DrawnRowsTest {
    private static final String COLUMN = "drawn in";
    private static final Pattern CELL = Pattern.compile("(?<!\\\\)\\|");
    private static final Pattern NAME = Pattern.compile("`([^`]+)`");
    private static final String TESTS_ONLY = "tests only";
    /** What a part of a cell begins with: of what it speaks, the machine, and its page or why there is none. */
    private static final Pattern MACHINE = Pattern.compile(
            "^(?:[^:`]*: )?\\[?([\\w ]+ledger|ledger|simulation|tests only)]? ?(?:\\(([^)]*)\\))?(?::|$)");

    private static final String REASONS_PAGE = "docs/kafka-listener-support.md";
    private static final Pattern REASON = Pattern.compile("(?m)^- \\*\\*([\\w ]+)\\*\\*: ");
    private static final Pattern TEST = Pattern.compile("^(\\w+)(?:#(\\w+))?$");
    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\\n]*", Pattern.DOTALL);
    /** Of an enum: it stands alone at the beginning of a line. */
    private static final Pattern CONSTANT = Pattern.compile("(?m)^ +([A-Z][A-Z_0-9]+)(?=[(,;]|$)");

    private static final Pattern RECORD = Pattern.compile("record \\w+\\(([^{]*)\\)\\s*(?:implements [\\w., ]+)?\\{");
    private static final Pattern COMPONENT = Pattern.compile("(\\w+)\\s*(?:,|$)");
    private static final Pattern DRAW =
            Pattern.compile("\\b(?:happens|chance|below|pick)\\((?:[^\"();]*,)?\\s*\"([^\"]+)\"");

    private static final Set<String> LEDGER = names("examples/fault-ledger/src/main", true);

    /** The draws of each machine, by the word that stands before them. */
    private static final Map<String, Set<String>> DRAWN = Map.of(
            "simulation",
            names("test-servers/simulation/src/main", false),
            "ledger",
            LEDGER,
            "RocketMQ ledger",
            names("examples/fault-ledger-rocketmq/src/main", true),
            "application ledger",
            union(LEDGER, names("examples/fault-ledger-applications/src/main", true)));

    /** Why a row may be without them. */
    private static final Set<String> REASONS = REASON.matcher(Checkout.text(REASONS_PAGE)
                    .substring(Checkout.text(REASONS_PAGE).indexOf("## Tests only")))
            .results()
            .map(reason -> reason.group(1))
            .collect(Collectors.toSet());

    @ParameterizedTest
    @CsvSource({
        "README.md, ## Versions, 9",
        "docs/kafka-listener-support.md, '', 170",
        "dedup-rocketmq/README.md, ## What happens to a message, 8",
        "dedup-rocketmq-remoting/README.md, ## What happens to a message, 6"
    })
    @DisplayName(
            "each row of a support table names draws that exist, or the tests that stand for them and why there are no draws")
    void namesDraws(String page, String heading, int atLeast) {
        Map<String, String> wrong = new TreeMap<>();
        int rows = 0;
        int column = -1;
        boolean inside = heading.isEmpty();
        boolean inTable = false;
        for (String line : Checkout.text(page).lines().toList()) {
            if (line.startsWith("## ") && !heading.isEmpty()) {
                inside = line.equals(heading);
            }
            if (!inside || !line.startsWith("|")) {
                inTable = false;
                continue;
            }
            List<String> cells = Stream.of(CELL.split(line)).map(String::strip).toList();
            if (!inTable) {
                inTable = true;
                column = cells.indexOf(COLUMN);
                assertThat(column)
                        .as(page + " has a table without " + COLUMN + ": " + line)
                        .isPositive();
            } else if (!line.startsWith("|---")) {
                rows++;
                List<String> unknown = unknown(cells.get(column), cells.get(cells.size() - 1));
                if (!unknown.isEmpty()) {
                    wrong.put(line, unknown.toString());
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(rows).isGreaterThanOrEqualTo(atLeast);
    }

    /** What is wrong with a cell such as {@code simulation: `DROPS`; ledger: `intercepted`}. */
    private static List<String> unknown(String cell, String last) {
        List<String> unknown = new ArrayList<>();
        for (String part : cell.split(";")) {
            Matcher begin = MACHINE.matcher(part.strip());
            if (!begin.find()) {
                unknown.add("nothing in: " + part);
                continue;
            }
            List<String> names = names(part);
            if (begin.group(1).equals(TESTS_ONLY)) {
                unknown.addAll(unknownTests(names.isEmpty() ? names(last) : names));
                if (!REASONS.contains(String.valueOf(begin.group(2)))) {
                    unknown.add("why only tests, of " + REASONS);
                }
            } else if (!DRAWN.containsKey(begin.group(1)) || names.isEmpty()) {
                unknown.add("nothing in: " + part);
            } else {
                names.stream()
                        .filter(name -> !DRAWN.get(begin.group(1)).contains(name))
                        .forEach(unknown::add);
            }
        }
        return unknown;
    }

    private static List<String> names(String cell) {
        return NAME.matcher(cell).results().map(name -> name.group(1)).toList();
    }

    private static List<String> unknownTests(List<String> tests) {
        return tests.isEmpty()
                ? List.of("no test")
                : tests.stream().filter(test -> !isTest(test)).toList();
    }

    private static <T> Set<T> union(Set<T> one, Set<T> other) {
        Set<T> both = new HashSet<>(one);
        both.addAll(other);
        return both;
    }

    private static boolean isTest(String name) {
        return TEST.matcher(name)
                .results()
                .anyMatch(test -> Checkout.files("/" + test.group(1) + ".java").stream()
                        .filter(file -> Checkout.name(file).contains("src/test")
                                || Checkout.name(file).contains("src/boot4-test"))
                        .anyMatch(file ->
                                test.group(2) == null || Checkout.text(file).contains(" " + test.group(2) + "(")));
    }

    /** @param settings whether constants are written as in settings: in lower case, with hyphens */
    private static Set<String> names(String folder, boolean settings) {
        Set<String> names = new HashSet<>();
        for (Path file : Checkout.files(".java")) {
            if (!Checkout.name(file).startsWith(folder)) {
                continue;
            }
            String text = COMMENT.matcher(Checkout.text(file)).replaceAll("");
            CONSTANT.matcher(text)
                    .results()
                    .map(constant -> settings
                            ? constant.group(1).toLowerCase(Locale.ROOT).replace('_', '-')
                            : constant.group(1))
                    .forEach(names::add);
            RECORD.matcher(text)
                    .results()
                    .flatMap(found -> COMPONENT.matcher(found.group(1).strip()).results())
                    .map(component -> component.group(1))
                    .forEach(names::add);
            DRAW.matcher(text)
                    .results()
                    .map((MatchResult draw) -> draw.group(1).strip())
                    .forEach(names::add);
        }
        assertThat(names).as(folder).isNotEmpty();
        return names;
    }
}
