package io.dedup.ledger.applications;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.ledger.applications.plan.Settings;
import io.dedup.ledger.report.TextReport;
import io.dedup.ledger.tally.RowResult;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The short form: each row with few faults; {@link ApplicationLedgerMain} is the long one. */
@Tag("long")
class ApplicationLedgerTest {
    private static final int ROWS = 5;

    @TempDir
    private Path directory;

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES) // servers and JVM starts, on a machine that may be busy
    void ourPromisesHold() throws Exception {
        List<RowResult> results = ApplicationLedgerMain.measure(Settings.of(
                "--rows=artemis,amqp,parallel-consumer,stream,http",
                "--messages=30",
                "--faults=3",
                "--kinds=handler-killed+lost-replies+broker-cut",
                "--directory=" + directory));
        System.out.print(TextReport.of(results));
        assertThat(results)
                .hasSize(ROWS)
                .allSatisfy(result -> assertThat(result.brokenPromises()).isEmpty());
    }
}
