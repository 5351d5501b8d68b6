package io.dedup.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.examples.quickstart.QuickstartMain;
import io.dedup.testservers.process.ChildJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The README's quickstart, as its command runs it, in processes of its own. */
@Execution(ExecutionMode.CONCURRENT)
class QuickstartTest {
    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES) // five JVMs start, one after another
    void everyOrderTakesEffectOnce() throws IOException, InterruptedException {
        Process quickstart =
                ChildJvm.command(QuickstartMain.class).redirectErrorStream(true).start();
        String output = new String(quickstart.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(quickstart.waitFor()).as(output).isZero();
        assertThat(output)
                .containsPattern("handled +1,200")
                .containsPattern("killed before the effect +1\n")
                .containsPattern("effects in the business table +1,200")
                .contains("every order took effect once");
    }
}
