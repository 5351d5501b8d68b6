package io.dedup.rules.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DecisionsTest {
    private static final Path DECISIONS = Checkout.ROOT.resolve("docs").resolve("decisions");
    private static final Path INDEX = DECISIONS.resolve("README.md");
    private static final Pattern ROW =
            Pattern.compile("\\| (\\d+) \\| \\[(.*)]\\((\\S+)\\.md#(\\S+)\\) \\| (\\S+) \\| \\S.* \\|");
    private static final Pattern HEADING = Pattern.compile("## (\\d+)\\. (.*)");

    @Test
    @DisplayName("the index has each decision once, in the order of the numbers, with its title, page and anchor")
    void index() {
        List<Decision> rows = new ArrayList<>();
        for (String line : Checkout.text(INDEX)
                .lines()
                .filter(each -> each.startsWith("| "))
                .skip(1)
                .toList()) {
            var row = ROW.matcher(line);
            assertThat(row.matches()).as(line).isTrue();
            rows.add(new Decision(Integer.parseInt(row.group(1)), row.group(2), row.group(5)));
            assertThat(row.group(3)).as(line).isEqualTo(row.group(5));
            assertThat(row.group(4)).as(line).isEqualTo(Page.anchor(row.group(1) + ". " + row.group(2)));
        }
        assertThat(decisions()).as("on the pages").doesNotHaveDuplicates();
        assertThat(rows).as("in the index").containsExactlyInAnyOrderElementsOf(decisions());
        assertThat(rows).extracting(Decision::number).doesNotHaveDuplicates().isSorted();
    }

    private static List<Decision> decisions() {
        List<Decision> decisions = new ArrayList<>();
        for (Path page : Checkout.files(".md")) {
            if (page.getParent().equals(DECISIONS) && !page.equals(INDEX)) {
                String subject = page.getFileName().toString().replace(".md", "");
                Checkout.text(page).lines().map(HEADING::matcher).forEach(heading -> {
                    if (heading.matches()) {
                        decisions.add(new Decision(Integer.parseInt(heading.group(1)), heading.group(2), subject));
                    }
                });
            }
        }
        return decisions;
    }

    private record Decision(int number, String title, String subject) {}
}
