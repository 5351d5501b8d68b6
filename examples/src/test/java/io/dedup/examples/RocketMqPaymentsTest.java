package io.dedup.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.examples.rocketmq.RocketMqPaymentsMain;
import io.dedup.testservers.process.ChildJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The example of payments over RocketMQ, as its command runs it. */
@Tag("long")
class RocketMqPaymentsTest {
    @Test
    void everyOrderTakesEffectOnce() throws IOException, InterruptedException {
        Process example = ChildJvm.command(RocketMqPaymentsMain.class)
                .redirectErrorStream(true)
                .start();
        String output = new String(example.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(example.waitFor()).as(output).isZero();
        assertThat(output)
                .containsPattern("handled +1,200")
                .containsPattern("killed before the effect +1\n")
                .containsPattern("effects in the business table +1,200")
                .contains("every order took effect once");
    }
}
