package io.dedup.benchmarks.idle;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class IdleReportTest {
    @Test
    void whatTheApplicationWritesIsWhatItsParentReads() {
        IdleReport report = new IdleReport("copies", 400_000, 43_700_640, 157);

        assertThat(IdleReport.parse(report.line())).contains(report);
        assertThat(IdleReport.parse("12:00 WARN idle-report")).isEmpty();
    }
}
