package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The other starter on Spring Boot 3.5, alone and beside the right one, each in a JVM of its own. */
class WrongStarterTest {
    private static final String RIGHT = BootVersionCheck.class
            .getProtectionDomain()
            .getCodeSource()
            .getLocation()
            .getPath();

    /** Its classes, or its jar. */
    private static final Path OTHER = Path.of(System.getProperty("dedup.test.boot4"));

    @Test
    @DisplayName("alone: the start fails, and the error names the starter to use")
    void alone() throws Exception {
        String output = start(classPathWithout(RIGHT), OTHER.toString());
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("dedup-spring-boot-starter needs Spring Boot 4, but this application has Spring Boot 3.5.")
                .contains("Replace dedup-spring-boot-starter with dedup-spring-boot3-starter");
    }

    @Test
    @DisplayName("beside the right one: the start fails whichever is first, and the error names the one to remove")
    void both() throws Exception {
        List<String> others = classPathWithout(RIGHT);
        for (String[] order : new String[][] {{RIGHT, OTHER.toString()}, {OTHER.toString(), RIGHT}}) {
            assertThat(start(others, order))
                    .contains("APPLICATION FAILED TO START")
                    .contains("dedup-spring-boot3-starter and dedup-spring-boot-starter are both on the class path")
                    .contains("Remove dedup-spring-boot-starter.");
        }
    }

    @Test
    @DisplayName("neither: the application that these tests start works")
    void withoutOthers() throws Exception {
        assertThat(start(classPathWithout(RIGHT), RIGHT)).contains(BareApp.STARTED);
    }

    private static List<String> classPathWithout(String own) {
        List<String> parts =
                new ArrayList<>(List.of(System.getProperty("java.class.path").split(File.pathSeparator)));
        assertThat(parts.removeIf(part -> Path.of(part).equals(Path.of(own)))).isTrue();
        return parts;
    }

    private static String start(List<String> others, String... starters) throws IOException, InterruptedException {
        assertThat(starters)
                .allSatisfy(starter ->
                        assertThat(Files.exists(Path.of(starter))).as(starter).isTrue());
        List<String> parts = new ArrayList<>(List.of(starters));
        parts.addAll(others);
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        String.join(File.pathSeparator, parts),
                        BareApp.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return output;
    }
}
