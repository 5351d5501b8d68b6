package io.dedup.rules.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LinksTest {
    private final Map<Path, Page> pages = new HashMap<>();

    @Test
    @DisplayName("each link of a page to a file or a heading of this repository has its file and its heading")
    void lead() {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path file : Checkout.files(".md")) {
            for (String link : page(file).links()) {
                if (!link.contains(":")) {
                    links++;
                    if (!leads(file, link)) {
                        broken.add(Checkout.name(file) + ": " + link);
                    }
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(links).isGreaterThan(500);
    }

    @Test
    @DisplayName("docs/README.md, or the first page of its subject, leads to each page of docs")
    void map() {
        Set<Path> reached = new HashSet<>();
        for (String index : List.of("docs/README.md", "docs/recipes.md", "docs/decisions/README.md")) {
            Path file = Checkout.ROOT.resolve(index);
            reached.add(file);
            page(file).links().forEach(link -> reached.add(target(file, link)));
        }
        List<Path> unreached = new ArrayList<>(Checkout.files(".md"));
        unreached.removeIf(file -> !Checkout.name(file).startsWith("docs/") || reached.contains(file));
        assertThat(unreached).isEmpty();
    }

    @Test
    void anchorsAreThoseOfGitHub() {
        assertThat(Page.anchor("17. Redis: `SET … NX GET` only where no fencing token is wanted"))
                .isEqualTo("17-redis-set--nx-get-only-where-no-fencing-token-is-wanted");
        assertThat(Page.parse(
                        "## Twice\n## Twice\n```\n## No heading\n[no](link.md)\n```\n`[no](link)` [a](b.md#c \"t\")"))
                .isEqualTo(new Page(Set.of("twice", "twice-1"), List.of("b.md#c")));
    }

    private boolean leads(Path from, String link) {
        String[] parts = link.split("#", 2);
        Path target = target(from, link);
        if (!target.startsWith(Checkout.ROOT) || !Files.exists(target)) {
            return false;
        }
        return parts.length == 1
                || !target.toString().endsWith(".md")
                || page(target).anchors().contains(parts[1]);
    }

    private static Path target(Path from, String link) {
        String path = link.split("#", 2)[0].replace("%20", " ");
        return path.isEmpty() ? from : from.resolveSibling(path).normalize();
    }

    private Page page(Path file) {
        return pages.computeIfAbsent(file, each -> Page.parse(Checkout.text(each)));
    }
}
