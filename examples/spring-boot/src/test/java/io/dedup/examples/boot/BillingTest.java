package io.dedup.examples.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.testservers.process.ChildJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The example, as its command runs it. */
class BillingTest {
    @Test
    void everyOrderIsBilledOnce() throws IOException, InterruptedException {
        Process example =
                ChildJvm.command(BillingMain.class).redirectErrorStream(true).start();
        String output = new String(example.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(example.waitFor()).as(output).isZero();
        assertThat(output)
                .contains("sent 600 messages of 300 orders; consumed 600; bills in the table: 300")
                .contains("every order was billed once")
                .containsPattern("billing +orders +header:order-id +forever +transactional +jdbc");
    }
}
