package io.dedup.rules.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What somebody sees who runs the quickstart, with a Maven that only says what the real one does. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class QuickstartScriptTest {
    @TempDir
    private Path directory;

    @Test
    @DisplayName(
            "a first line before Maven begins, progress while it works, what the example prints, and no escape codes")
    void shortened() throws Exception {
        String output = run("""
                i=0; while [ $i -lt 250 ]; do i=$((i + 1)); echo "Downloaded from central: https://repo/$i.jar"; done
                echo '[INFO] Scanning for projects...'
                echo '[INFO] Building dedup-core 0.1.0-SNAPSHOT                        [7/15]'
                echo '[WARNING] nobody has to read this'; echo
                echo '[  1.0 s] starting Kafka'; echo
                printf '\\033[1mbold\\033[m\\n\\033[0m\\033[0m'
                """, 0);

        assertThat(output)
                .startsWith("Compiles dedup, starts Kafka, Redis and PostgreSQL")
                .endsWith("""
                          downloaded 100 files
                          downloaded 200 files
                          building dedup-core [7/15]
                        [  1.0 s] starting Kafka

                        bold
                        """);
    }

    @Test
    @DisplayName("if Maven fails, so does the script, with Maven's errors and the place of its whole output")
    void failed() throws Exception {
        assertThat(run("echo '[INFO] x'; echo '[ERROR] no disk space'; exit 3", 3))
                .contains("[ERROR] no disk space\nFailed. All that Maven said is in target/quickstart.log");
        assertThat(Checkout.text("target/quickstart.log")).isEqualTo("[INFO] x\n[ERROR] no disk space\n");
    }

    private String run(String maven, int result) throws IOException, InterruptedException {
        Path program = Files.writeString(directory.resolve("mvn"), "#!/bin/sh\n" + maven);
        assertThat(program.toFile().setExecutable(true)).isTrue();
        ProcessBuilder script =
                new ProcessBuilder(Checkout.ROOT.resolve("quickstart").toString()).redirectErrorStream(true);
        script.environment().merge("PATH", directory.toString(), (path, own) -> own + File.pathSeparator + path);
        Process process = script.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(output).isEqualTo(result);
        return output;
    }
}
