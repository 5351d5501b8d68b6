package io.dedup.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the pages show is what the build compiles and runs: {@code <!-- path/of/File.java [name] -->} before a sample says
 * where the sample is, between {@code // docs:begin [name]} and {@code // docs:end}.
 */
class DocsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern SAMPLE =
            Pattern.compile("<!-- (\\S+\\.java)( [\\w-]+)? -->\n```java\n(.*?)\n```", Pattern.DOTALL);
    private static final Pattern KOTLIN_SAMPLE =
            Pattern.compile("<!-- (\\S+\\.kt) -->\n```kotlin\n(.*?)\n```", Pattern.DOTALL);
    private static final Pattern MAVEN =
            Pattern.compile("<groupId>([^<]+)</groupId>\\s*<artifactId>([^<]+)</artifactId>");
    private static final Pattern GRADLE = Pattern.compile("\\(\"([\\w.]+:[\\w-]+)[:\"]");
    private static final Pattern JAVA = Pattern.compile("```java\n");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fault-plans.md",
                "getting-started.md",
                "moving-in.md",
                "recipes/card-processor.md",
                "recipes/dead-letters.md",
                "recipes/fencing-token.md",
                "recipes/handle-again.md",
                "recipes/http.md",
                "recipes/outbox.md",
                "recipes/plain-kafka-consumer.md",
                "recipes/renamed-group.md",
                "recipes/steps.md",
                "recipes/two-topics.md",
                "testing-your-listeners.md",
                "writing-a-store.md",
                "writing-an-adapter.md"
            })
    void samplesAreTheCompiledOnes(String page) throws IOException {
        String text = Files.readString(ROOT.resolve("docs").resolve(page));
        Matcher sample = SAMPLE.matcher(text);
        int samples = 0;
        while (sample.find()) {
            samples++;
            String name = sample.group(2) == null ? "" : sample.group(2);
            assertThat(sample.group(3))
                    .as(page + ": " + sample.group(1) + name)
                    .isEqualTo(source(sample.group(1), name));
        }
        assertThat(samples)
                .as("samples of " + page)
                .isPositive()
                .isEqualTo(JAVA.matcher(text).results().count());
    }

    /** What a reader copies first has to compile as it stands: with its imports, and as a whole class. */
    @ParameterizedTest
    @ValueSource(strings = {"fault-plans.md", "getting-started.md", "testing-your-listeners.md"})
    void whatAReaderCopiesFirstHasItsImports(String page) throws IOException {
        Matcher sample = SAMPLE.matcher(Files.readString(ROOT.resolve("docs").resolve(page)));
        boolean all = page.equals("getting-started.md");
        while (sample.find()) {
            assertThat(sample.group(3)).startsWith("import ").endsWith("\n}");
            if (!all) {
                return;
            }
        }
        assertThat(all).as("a sample in " + page).isTrue();
    }

    @Test
    void kotlinSamplesAreTheCompiledOnes() throws IOException {
        String page = Files.readString(ROOT.resolve("dedup-kafka/README.md"));
        assertThat(KOTLIN_SAMPLE.matcher(page).results())
                .isNotEmpty()
                .allSatisfy(sample -> assertThat(sample.group(2)).isEqualTo(source(sample.group(1), "")));
    }

    /** No Gradle runs here: what is checked is that its block asks for what the Maven block asks for. */
    @ParameterizedTest
    @ValueSource(strings = {"getting-started.md", "zh-CN/getting-started.md"})
    void gradleAsksForWhatMavenDoes(String page) throws IOException {
        String text = Files.readString(ROOT.resolve("docs").resolve(page));
        String maven = text.split("```xml\n", 2)[1].split("```", 2)[0];
        String gradle = text.split("// build.gradle.kts\n", 2)[1].split("```", 2)[0];

        assertThat(MAVEN.matcher(maven).results().map(found -> found.group(1) + ":" + found.group(2)))
                .hasSize(3)
                .containsExactlyElementsOf(GRADLE.matcher(gradle)
                        .results()
                        .map(found -> found.group(1))
                        .toList());
        assertThat(maven).contains("<version>0.1.0-SNAPSHOT</version>");
        assertThat(gradle).contains("dedup-bom:0.1.0-SNAPSHOT");
    }

    private static String source(String file, String name) throws IOException {
        String source = Files.readString(ROOT.resolve(file));
        String begin = "// docs:begin" + name + "\n";
        assertThat(source).contains(begin);
        return source.substring(source.indexOf(begin) + begin.length())
                .split("\\n *// docs:end", -1)[0]
                .stripIndent()
                .strip();
    }
}
