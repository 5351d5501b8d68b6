package io.dedup.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the README shows is what the build compiles and runs. */
class ReadmeTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern SAMPLE =
            Pattern.compile("<!-- (\\S+\\.java) -->\n```java\n(.*?)\n```", Pattern.DOTALL);
    private static final Pattern JAVA = Pattern.compile("```java\n");

    @Test
    @DisplayName("each Java sample stands, line by line, in the compiled file that the comment above it names")
    void samplesAreTheCompiledOnes() throws IOException {
        String readme = readme();
        int samples = 0;
        for (Matcher sample = SAMPLE.matcher(readme); sample.find(); samples++) {
            assertThat(withoutIndent(Files.readString(ROOT.resolve(sample.group(1)))))
                    .as(sample.group(1))
                    .contains(withoutIndent(sample.group(2)));
        }
        assertThat(samples).isPositive().isEqualTo((int)
                JAVA.matcher(readme).results().count());
    }

    @Test
    void commandsAreThoseOfTheScripts() throws IOException {
        assertThat(readme()).contains("\n./quickstart ");
        assertThat(Files.isExecutable(ROOT.resolve("quickstart"))).isTrue();
        assertThat(readme()).contains("\nmvn -B verify ");
        assertThat(Files.readString(ROOT.resolve(".ci/run"))).contains("mvn -B verify");
    }

    private static String readme() throws IOException {
        return Files.readString(ROOT.resolve("README.md"));
    }

    private static String withoutIndent(String text) {
        return text.lines().map(String::strip).collect(Collectors.joining("\n"));
    }
}
