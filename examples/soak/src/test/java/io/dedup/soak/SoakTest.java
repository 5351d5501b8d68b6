package io.dedup.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.soak.measure.Growth;
import io.dedup.soak.measure.Measure;
import io.dedup.soak.measure.Plot;
import io.dedup.soak.plan.Leak;
import io.dedup.soak.run.Run;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A few seconds of it; {@link SoakMain} takes an hour. */
@Tag("long")
class SoakTest {
    @TempDir
    private Path directory;

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES) // servers and two JVM starts, on a machine that may be busy
    void leakIsFoundAndNothingIsLost() throws Exception {
        Run.Result result = new Run(Duration.ofSeconds(6), Duration.ofMillis(500), 1, Leak.FILES, directory).result();

        assertThat(result.lost()).isZero();
        assertThat(result.doubled()).isZero();
        assertThat(result.sent()).isPositive();
        assertThat(result.copies()).isPositive();
        assertThat(Growth.of(result.samples()))
                .filteredOn(Growth::isTooMuch)
                .extracting(Growth::measure)
                .contains(Measure.FILES);
        assertThat(Plot.of(result.samples(), "short")).startsWith("<svg").contains(Measure.FILES.title());
        assertThat(directory.resolve("samples.csv")).content().startsWith("seconds,ids,");
    }
}
