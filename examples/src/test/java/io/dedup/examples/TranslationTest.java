package io.dedup.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A page in two languages has the same headings and the same code in both, and each leads to the other. */
class TranslationTest {
    private static final Path ROOT = Path.of("..");
    private static final Pages README = new Pages("README.md", "README.zh-CN.md");
    private static final List<Pages> PAGES = List.of(
            new Pages("docs/getting-started.md", "docs/zh-CN/getting-started.md"),
            new Pages("docs/guarantees.md", "docs/zh-CN/guarantees.md"),
            new Pages("docs/recipes/moving-brokers.md", "docs/zh-CN/moving-brokers.md"),
            new Pages("docs/recipes/any-method.md", "docs/zh-CN/any-method.md"),
            new Pages("docs/recipes/plain-kafka-consumer.md", "docs/zh-CN/plain-kafka-consumer.md"),
            new Pages("docs/recipes/http.md", "docs/zh-CN/http.md"),
            new Pages("docs/recipes/spring-cloud-stream.md", "docs/zh-CN/spring-cloud-stream.md"),
            new Pages("dedup-rocketmq/README.md", "docs/zh-CN/rocketmq.md"),
            new Pages("dedup-rocketmq-remoting/README.md", "docs/zh-CN/rocketmq-remoting.md"),
            new Pages(
                    "docs/migrating-from-the-older-rocketmq-client.md",
                    "docs/zh-CN/migrating-from-the-older-rocketmq-client.md"));

    /** A page and its translation, by their paths from the root of the repository. */
    record Pages(String english, String chinese) {
        MarkdownPage readEnglish() throws IOException {
            return MarkdownPage.parse(Files.readString(ROOT.resolve(english)));
        }

        MarkdownPage readChinese() throws IOException {
            return MarkdownPage.parse(Files.readString(ROOT.resolve(chinese)));
        }

        @Override
        public String toString() {
            return english + ", " + chinese;
        }
    }

    static Stream<Pages> pages() {
        return Files.exists(ROOT.resolve(README.chinese()))
                ? Stream.concat(Stream.of(README), PAGES.stream())
                : PAGES.stream();
    }

    @ParameterizedTest
    @MethodSource("pages")
    @DisplayName("both have headings of the same levels in the same order")
    void headings(Pages pages) throws IOException {
        MarkdownPage english = pages.readEnglish();
        MarkdownPage chinese = pages.readChinese();

        assertThat(chinese.headingLevels())
                .as(
                        "a heading exists in one language only%n%n%s%n%s%n%n%s%n%s%n",
                        pages.english(), english.outline(), pages.chinese(), chinese.outline())
                .isEqualTo(english.headingLevels());
        assertThat(english.headings()).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("pages")
    @DisplayName("both have the same code blocks, but for comments and the labels of diagrams")
    void codeBlocks(Pages pages) throws IOException {
        MarkdownPage english = pages.readEnglish();

        assertThat(pages.readChinese().codeBlocks())
                .as("code blocks of %s", pages)
                .isEqualTo(english.codeBlocks());
        assertThat(english.codeBlocks()).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("pages")
    @DisplayName("each begins with a link to the other")
    void links(Pages pages) throws IOException {
        assertThat(pages.readEnglish().start()).contains(link("简体中文", pages.english(), pages.chinese()));
        assertThat(pages.readChinese().start()).contains(link("English", pages.chinese(), pages.english()));
    }

    @Test
    @DisplayName("every Chinese page is compared with an English one")
    void allPages() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("docs/zh-CN"))) {
            assertThat(files.map(file -> "docs/zh-CN/" + file.getFileName()))
                    .containsExactlyInAnyOrderElementsOf(
                            PAGES.stream().map(Pages::chinese).toList());
        }
    }

    private static String link(String language, String from, String to) {
        Path directory = ROOT.resolve(from).getParent();
        String target = directory.relativize(ROOT.resolve(to)).toString().replace('\\', '/');
        return "[" + language + "](" + target + ")";
    }
}
