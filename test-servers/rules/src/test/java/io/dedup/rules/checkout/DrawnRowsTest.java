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
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each promise says which draws of the simulation and of the ledgers cover it, or that only tests do. */
class DrawnRowsTest {
    private static final String COLUMN = "drawn in";
    private static final Pattern CELL = Pattern.compile("(?<!\\\\)\\|");
    private static final Pattern NAME = Pattern.compile("`([^`]+)`");
    private static final Pattern LINK = Pattern.compile("^\\[([^]]+)]\\([^)]+\\)");
    private static final Pattern TEST = Pattern.compile("^(\\w+)(?:#(\\w+))?$");
    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\\n]*", Pattern.DOTALL);
    /** Of an enum: it stands alone at the beginning of a line. */
    private static final Pattern CONSTANT = Pattern.compile("(?m)^ +([A-Z][A-Z_0-9]+)(?=[(,;]|$)");

    private static final Pattern RECORD = Pattern.compile("record \\w+\\(([^{]*)\\)\\s*(?:implements [\\w., ]+)?\\{");
    private static final Pattern COMPONENT = Pattern.compile("(\\w+)\\s*(?:,|$)");
    private static final Pattern DRAW =
            Pattern.compile("\\b(?:happens|chance|below|pick)\\((?:[^\"();]*,)?\\s*\"([^\"]+)\"");

    /** The draws of each machine, by the word that stands before them. */
    private static final Map<String, Set<String>> DRAWN = Map.of(
            "simulation",
            names("test-servers/simulation/src/main", false),
            "ledger",
            names("examples/fault-ledger/src/main", true),
            "RocketMQ ledger",
            names("examples/fault-ledger-rocketmq/src/main", true),
            "method ledger",
            names("examples/any-method/src/test", true));

    @ParameterizedTest
    @CsvSource({
        "README.md, ## Versions, 9",
        "docs/kafka-listener-support.md, '', 170",
        "dedup-rocketmq/README.md, ## What happens to a message, 8",
        "dedup-rocketmq-remoting/README.md, ## What happens to a message, 6"
    })
    @DisplayName("each row of a support table names draws that exist, or the tests that stand for them")
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
            String machine = LINK.matcher(part.strip()).replaceFirst("$1").split(":", 2)[0];
            List<String> names =
                    NAME.matcher(part).results().map(name -> name.group(1)).toList();
            if (machine.equals("tests only")) {
                List<String> tests = names.isEmpty()
                        ? NAME.matcher(last)
                                .results()
                                .map(name -> name.group(1))
                                .toList()
                        : names;
                tests.stream().filter(test -> !isTest(test)).forEach(unknown::add);
                if (tests.isEmpty()) {
                    unknown.add("no test");
                }
            } else if (!DRAWN.containsKey(machine) || names.isEmpty()) {
                unknown.add("nothing in: " + part);
            } else {
                names.stream()
                        .filter(name -> !DRAWN.get(machine).contains(name))
                        .forEach(unknown::add);
            }
        }
        return unknown;
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
