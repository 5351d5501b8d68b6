package io.dedup.examples.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The example, as its command runs it. */
class BillingTest {
    @Test
    void everyOrderIsBilledOnce() throws IOException, InterruptedException {
        Process example = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        BillingMain.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(example.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(example.waitFor()).as(output).isZero();
        assertThat(output)
                .contains("sent 600 messages of 300 orders; consumed 600; bills in the table: 300")
                .contains("every order was billed once")
                .containsPattern("billing +orders +header:order-id +forever +transactional +jdbc");
    }
}
