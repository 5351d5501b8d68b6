package io.dedup.examples.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whoever ends Maven has ended the demo: its consumer, its Kafka and its PostgreSQL as well. */
@Tag("long")
class EndOfMavenTest {
    @Test
    void nothingOutlivesTheProcessThatStartedTheDemo() throws Exception {
        // A shell for Maven. What comes behind the command keeps it from becoming that command itself.
        Process maven = new ProcessBuilder(
                        "sh",
                        "-c",
                        "\"$@\"; true",
                        "sh",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LiveMain.class.getName(),
                        "--server.port=0")
                .redirectErrorStream(true)
                .start();
        List<ProcessHandle> started = List.of();
        try (BufferedReader output = maven.inputReader()) {
            assertThat(output.lines().anyMatch(line -> line.startsWith("open http://")))
                    .isTrue();
            started = maven.descendants().toList();
            assertThat(started).hasSizeGreaterThan(3); // the demo, its consumer and the servers

            maven.destroyForcibly().waitFor();

            List<ProcessHandle> all = started;
            await().atMost(SharedDemo.LIMIT).until(() -> all.stream().noneMatch(ProcessHandle::isAlive));
        } finally {
            maven.destroyForcibly();
            started.forEach(ProcessHandle::destroyForcibly);
        }
    }
}
