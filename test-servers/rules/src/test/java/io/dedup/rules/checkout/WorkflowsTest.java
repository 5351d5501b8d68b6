package io.dedup.rules.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The forge's workflows cannot run here; what they call can be compared with what there is. */
class WorkflowsTest {
    private static final Pattern PROFILE = Pattern.compile(" -P([\\w.-]+)");
    private static final Pattern MODULES = Pattern.compile(" -pl ([\\w/,-]+)");
    private static final Pattern SCRIPT = Pattern.compile(" (\\.ci/\\w+(?:\\.java)?)");
    private static final Pattern PROOF = Pattern.compile("\\| `([\\w-]+)` \\| .* \\| `mvn .* \\|");

    private final String nightly = Checkout.text(".github/workflows/nightly.yml");
    private final String release = Checkout.text(".github/workflows/release.yml");
    private final String build = Checkout.text(".github/workflows/build.yml");
    private final String docs = Checkout.text(".github/workflows/docs.yml");

    @Test
    @DisplayName("profiles, modules and scripts that a workflow names exist")
    void callsWhatExists() {
        Set<String> profiles = new TreeSet<>();
        for (Path pom : Checkout.files("pom.xml")) {
            profiles.addAll(found(
                    Pattern.compile("<profile>\\s*(?:<!--.*?-->\\s*)?<id>([^<]+)</id>", Pattern.DOTALL),
                    Checkout.text(pom)));
        }
        String workflows = nightly + build + release + docs;
        assertThat(profiles).containsAll(found(PROFILE, workflows));
        assertThat(found(MODULES, workflows))
                .isNotEmpty()
                .flatExtracting(each -> List.of(each.split(",", -1)))
                .allMatch(each -> Files.exists(Checkout.ROOT.resolve(each).resolve("pom.xml")));
        assertThat(found(SCRIPT, workflows)).isNotEmpty().allMatch(each -> Files.exists(Checkout.ROOT.resolve(each)));
    }

    @Test
    @DisplayName(
            "each long proof of CONTRIBUTING.md runs each night, and both older versions and the gates with each change")
    void proofs() {
        String page = Checkout.text("CONTRIBUTING.md");
        Set<String> proofs = found(PROOF, page.substring(page.indexOf("## The long proofs")));
        assertThat(proofs).hasSizeGreaterThan(8);
        assertThat(found(PROFILE, nightly)).containsAll(proofs);
        assertThat(found(PROFILE, build)).contains("spring-kafka-3.3", "kafka-4.4", "boot3-all", "release", "gates");
    }

    private static Set<String> found(Pattern pattern, String text) {
        Set<String> found = new TreeSet<>();
        pattern.matcher(text).results().map(WorkflowsTest::first).forEach(found::add);
        return found;
    }

    private static String first(MatchResult match) {
        return match.group(1);
    }
}
