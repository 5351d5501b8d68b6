package io.dedup.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

@DisabledOnOs(value = OS.WINDOWS, disabledReason = "no signals that pause")
class PausedProcessTest {
    @Test
    @DisplayName("stands still until it may go on")
    void pauses() throws IOException {
        Process echo = new ProcessBuilder("cat").start();
        try {
            BufferedReader answers = echo.inputReader();
            CompletableFuture<String> answer;
            try (PausedProcess paused = PausedProcess.pause(echo.pid())) {
                assertThat(paused.pid()).isEqualTo(echo.pid());
                OutputStream input = echo.getOutputStream();
                input.write("hello\n".getBytes(StandardCharsets.UTF_8));
                input.flush();
                answer = CompletableFuture.supplyAsync(
                        () -> answers.lines().findFirst().orElse("ended"));
                await().during(Duration.ofMillis(200)).until(() -> !answer.isDone() && echo.isAlive());
            }
            assertThat(answer.join()).isEqualTo("hello");
        } finally {
            echo.destroyForcibly();
        }
    }

    @Test
    @DisplayName("refuses this process, and one that isn't there")
    void refuses() throws Exception {
        assertThatThrownBy(() -> PausedProcess.pause(ProcessHandle.current().pid()))
                .isInstanceOf(IllegalArgumentException.class);
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        assertThatThrownBy(() -> PausedProcess.pause(gone.pid()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the process doesn't exist");
    }
}
