package io.dedup.rules.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class EnglishTest {
    /** What CONTRIBUTING chooses, and the spellings that it rejects. */
    private static final Map<String, Pattern> CHOSEN = Map.of(
            "cannot", words("can[’']t|can not"),
            "timeout", words("time-outs?"),
            "-ize",
                    words(
                            "(?:un)?(?:recogni|initiali|seriali|summari|organi|normali|optimi|minimi)s(?:e[ds]?|ing|ation)"),
            "behavior, color, favor, labeled, modeled",
                    words("(?:behaviou|colou|favou)rs?|(?:labell|modell)(?:ed|ing)"),
            "acknowledgment", words("(?-i:acknowledgements?)"));

    private static final Pattern LOGGER = Pattern.compile("\\bfinal (?:org\\.slf4j\\.)?Logger (?!log\\b)\\w+ = ");

    @Test
    @DisplayName("one spelling of each word in code and docs, as CONTRIBUTING chooses it")
    void oneSpelling() {
        List<String> others = new ArrayList<>();
        for (String end : List.of(".java", ".kt", ".md", ".yml", ".lua", ".sql")) {
            for (Path file : Checkout.files(end)) {
                if (!file.endsWith("EnglishTest.java")) {
                    String text = Checkout.text(file);
                    CHOSEN.forEach((chosen, rejected) -> rejected.matcher(text)
                            .results()
                            .map(MatchResult::group)
                            .forEach(each -> others.add(Checkout.name(file) + ": " + each + ", not " + chosen)));
                }
            }
        }
        assertThat(others).isEmpty();
    }

    @Test
    @DisplayName("a class's logger is called log")
    void loggers() {
        List<String> others = new ArrayList<>();
        for (Path file : Checkout.files(".java")) {
            if (file.toString().contains("/src/main/")
                    && LOGGER.matcher(Checkout.text(file)).find()) {
                others.add(Checkout.name(file));
            }
        }
        assertThat(others).isEmpty();
    }

    private static Pattern words(String alternatives) {
        return Pattern.compile("\\b(?:" + alternatives + ")\\b", Pattern.CASE_INSENSITIVE);
    }
}
