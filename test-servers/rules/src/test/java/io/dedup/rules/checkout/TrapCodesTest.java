package io.dedup.rules.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TrapCodesTest {
    private static final Pattern NAME = Pattern.compile(
            "@(?:DisplayName|ParameterizedTest|RepeatedTest)\\(((?:[^\")]|\"(?:[^\"\\\\]|\\\\.)*\")*)\\)");
    private static final Pattern CODE = Pattern.compile("\\b[A-Z]\\d{1,2}[a-z]?\\b");
    private static final Pattern ROW = Pattern.compile("\\| \\*\\*(\\w+)\\*\\* \\| .* \\|");
    /** Looks like a code and is none. */
    private static final Set<String> DATABASES = Set.of("H2");

    @Test
    @DisplayName("each code in the name of a test, such as the first word of a name, stands in docs/traps.md")
    void areExplained() {
        List<String> rows = ROW.matcher(Checkout.text("docs/traps.md"))
                .results()
                .map(row -> row.group(1))
                .toList();
        assertThat(rows).doesNotHaveDuplicates().hasSizeGreaterThan(70).allMatch(CODE.asMatchPredicate());

        TreeMap<String, String> unexplained = new TreeMap<>();
        int codes = 0;
        for (Path source : Checkout.files(".java")) {
            for (MatchResult name :
                    NAME.matcher(Checkout.text(source)).results().toList()) {
                for (MatchResult code : CODE.matcher(name.group(1)).results().toList()) {
                    codes++;
                    if (!rows.contains(code.group()) && !DATABASES.contains(code.group())) {
                        unexplained.put(code.group(), Checkout.name(source));
                    }
                }
            }
        }
        assertThat(unexplained).isEmpty();
        assertThat(codes).isGreaterThan(300);
    }
}
