package io.dedup.ledger.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.ledger.report.TextReport;
import io.dedup.ledger.rocketmq.plan.Settings;
import io.dedup.ledger.tally.RowResult;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The short form: one pass with few faults, every kind of consumer; {@link RocketMqLedgerMain} is the long one. */
@Tag("long")
class RocketMqLedgerTest {
    private static final int KINDS = 6;

    @TempDir
    private Path directory;

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES) // servers and JVM starts, on a machine that may be busy
    void ourPromisesHoldAndOthersDont() throws Exception {
        List<RowResult> results = new Measurement(Settings.of(
                        "--rows=push-transactional,push-fifo-leased-jdbc,simple-leased-redis,simple-groups-transactional,"
                                + "remoting-leased-redis,remoting-orderly-transactional,push-none",
                        "--messages=48",
                        "--kinds=slow+kill+store-cut+fail",
                        "--faults=4",
                        "--seed=1",
                        "--together=7",
                        "--calm-ms=0",
                        "--bound-s=240",
                        "--directory=" + directory))
                .results();
        System.out.print(TextReport.of(results));
        assertThat(results)
                .hasSize(KINDS + 1)
                .allSatisfy(result -> assertThat(result.brokenPromises()).isEmpty());
        // The ledger finds the duplicates of a consumer without dedup.
        assertThat(results.get(KINDS).doubled()).isPositive();
        assertThat(results.get(KINDS).lost()).isZero();
    }
}
