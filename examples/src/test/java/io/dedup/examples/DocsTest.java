package io.dedup.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
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

    /** Pages with Java that nothing compiles: how many blocks, and why. Translations are compared with their originals instead. */
    private static final Map<String, Integer> NOT_COMPILED = Map.of(
            // signatures with "..." for what is the reader's, and share groups, which need a newer Kafka than this
            // module's
            "dedup-kafka/README.md", 3,
            // needs the older client, which cannot be on one class path with the newer one
            "dedup-rocketmq-remoting/README.md", 1,
            // a loop and a builder that show what is set, with "..." and handlers of the reader
            "dedup-rocketmq/README.md", 2,
            // needs rocketmq-spring; its own example has listeners with more in them
            "docs/migrating-from-the-older-rocketmq-client.md", 1,
            // the reader's own clock and fixture; writing-a-store.md has a fixture that is compiled
            "docs/other-databases.md", 2,
            // the example's methods, without what makes them fail in its tests
            "docs/recipes/any-method.md", 2,
            // the example's advice without its discard channel, and what changes for users of another class
            "docs/recipes/spring-cloud-stream.md", 2);

    static List<String> pages() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .map(file -> ROOT.relativize(file).toString().replace('\\', '/'))
                    .filter(file -> !file.contains("zh-CN") && !file.contains("target/") && !file.startsWith("."))
                    .filter(file -> !file.equals("README.md")) // ReadmeTest
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void samplesAreTheCompiledOnes(String page) throws IOException {
        String text = Files.readString(ROOT.resolve(page));
        Matcher sample = SAMPLE.matcher(text);
        int samples = 0;
        while (sample.find()) {
            samples++;
            String name = sample.group(2) == null ? "" : sample.group(2);
            assertThat(sample.group(3))
                    .as(page + ": " + sample.group(1) + name)
                    .isEqualTo(source(sample.group(1), name));
        }
        assertThat(JAVA.matcher(text).results().count() - samples)
                .as("blocks of Java on " + page
                        + " that nothing compiles: put <!-- path/of/File.java [name] --> before each")
                .isEqualTo((long) NOT_COMPILED.getOrDefault(page, 0));
    }

    @Test
    void whatIsNotCompiledExists() throws IOException {
        assertThat(pages()).containsAll(NOT_COMPILED.keySet()).hasSizeGreaterThan(30);
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
