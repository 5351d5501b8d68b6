package io.dedup.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the README shows is what the build compiles and runs. */
class ReadmeTest {
    private static final Path ROOT = Path.of("..");
    private static final Path SAMPLES = Path.of("src/main/java/io/dedup/examples/readme");

    @ParameterizedTest
    @ValueSource(strings = {"PaymentListener.java", "TransferListener.java"})
    void theSampleIsTheCompiledOne(String file) throws IOException {
        String source = Files.readString(SAMPLES.resolve(file));
        String sample = source.substring(source.indexOf("// readme:begin\n") + "// readme:begin\n".length())
                .split("\\n *// readme:end", -1)[0]
                .stripIndent()
                .strip();

        assertThat(Files.readString(ROOT.resolve("README.md"))).contains("```java\n" + sample + "\n```");
    }

    @Test
    void theTestCommandIsTheOneThatCiRuns() throws IOException {
        assertThat(Files.readString(ROOT.resolve("README.md"))).contains("\nmvn -B verify ");
        assertThat(Files.readString(ROOT.resolve(".ci/run"))).contains("mvn -B verify");
    }
}
