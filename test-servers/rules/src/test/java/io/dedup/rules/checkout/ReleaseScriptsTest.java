package io.dedup.rules.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The scripts of the release workflow, on a small repository. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class ReleaseScriptsTest {
    private static final String POM =
            "<project>\n  <artifactId>dedup-release</artifactId>\n  <version>0.1.0</version>\n";

    @TempDir
    private Path directory;

    @BeforeEach
    void released() throws Exception {
        for (String script : List.of("tagged", "same")) {
            Path copy = write(".ci/" + script, Checkout.text(".ci/" + script));
            assertThat(copy.toFile().setExecutable(true)).isTrue();
        }
        write("parents/release/pom.xml", POM);
        write("CHANGELOG.md", "# Changelog\n\n## [0.1.0] - 2026-12-01\n");
        write("SECURITY.md", "Write to security@dedup.test.\n");
        run(0, "git", "init", "-q");
        run(0, "git", "add", ".");
    }

    @Test
    @DisplayName("a tag is released if it is the version of all POMs, with a changelog and without placeholders")
    void tagged() throws Exception {
        assertThat(run(0, ".ci/tagged", "v0.1.0")).contains("0.1.0 can be released");
        assertThat(run(1, ".ci/tagged", "0.1.0")).contains("a tag is v1.2.3, not 0.1.0");
        assertThat(run(1, ".ci/tagged", "v0.1")).contains("a tag is v1.2.3, not v0.1");
        assertThat(run(1, ".ci/tagged", "v0.2.0")).contains("parents/release/pom.xml has another version");

        write("parents/release/pom.xml", POM.replace("0.1.0", "0.1.0-SNAPSHOT"));
        assertThat(run(1, ".ci/tagged", "v0.1.0")).contains("still have the version of a snapshot");
        write("parents/release/pom.xml", POM + "<url>https://example.org/dedup</url>\n");
        assertThat(run(1, ".ci/tagged", "v0.1.0")).contains("these are placeholders");
        write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n");
        assertThat(run(1, ".ci/tagged", "v0.1.0")).contains("CHANGELOG.md has no section [0.1.0]");
    }

    @Test
    @DisplayName(
            "two builds are the same if their archives are, whatever their signatures; nothing isn't the same as nothing")
    void same() throws Exception {
        for (String build : List.of("a", "b")) {
            write(build + "/io/dedup/core.jar", "classes");
            write(build + "/io/dedup/core.pom", "<project/>");
            write(build + "/io/dedup/core.jar.asc", build);
        }
        assertThat(run(0, ".ci/same", "a", "b")).contains("2 files are the same");

        write("b/io/dedup/core.jar", "other classes");
        assertThat(run(1, ".ci/same", "a", "b")).contains("./io/dedup/core.jar");
        write("b/io/dedup/core.jar", "classes");
        write("b/io/dedup/more.jar", "classes");
        assertThat(run(1, ".ci/same", "a", "b")).contains("./io/dedup/more.jar");
        Files.createDirectories(directory.resolve("empty"));
        assertThat(run(1, ".ci/same", "empty", "empty")).contains("empty has no archives");
    }

    private Path write(String path, String text) throws IOException {
        Path file = directory.resolve(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private String run(int result, String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(Stream.of(command)
                        .map(part -> part.startsWith(".ci/")
                                ? directory.resolve(part).toString()
                                : part)
                        .toList())
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(output).isEqualTo(result);
        return output;
    }
}
