package io.dedup.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.DuplicateDetails;
import io.dedup.duplicate.MessagePlace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Reports of duplicates")
class DuplicationReportsTest {
    private Instant now = Instant.parse("2026-03-01T08:30:00Z");
    private final DuplicationReports reports = new DuplicationReports(() -> now);

    private static DedupKey key(String topic, String id) {
        return DedupKey.of(DedupScope.of("billing", topic), id);
    }

    private void copy(DuplicationReports reports, DedupKey key, DuplicateCause cause, Duration age) {
        MessagePlace place = new MessagePlace("3", 36, 1, 30);
        reports.explained(key, new DuplicateDetails(cause, now.minus(age), place, place, false));
    }

    @Test
    @DisplayName("count an hour and a day, by topic and cause, and forget what is older")
    void hours() {
        reports.completed(key("orders", "a"), Duration.ZERO);
        copy(reports, key("orders", "a"), DuplicateCause.RESENT, Duration.ofSeconds(10));
        now = now.plus(Duration.ofHours(1));
        reports.completed(key("orders", "b"), Duration.ZERO);
        copy(reports, key("orders", "b"), DuplicateCause.REPLAYED, Duration.ofHours(3));
        copy(reports, key("orders", "b"), DuplicateCause.REPLAYED, Duration.ofHours(3));

        DuplicationReport hour = reports.report(1);
        assertThat(hour.from()).isEqualTo(Instant.parse("2026-03-01T09:00:00Z"));
        assertThat(hour.topics()).hasSize(1);
        assertThat(hour.topics().get(0).handled()).isEqualTo(1);
        assertThat(hour.topics().get(0).duplicates()).containsOnly(Map.entry("replayed", 2L));
        DuplicationReport day = reports.report(24);
        assertThat(day.from()).isEqualTo(Instant.parse("2026-03-01T08:30:00Z"));
        assertThat(day.topics().get(0).allDuplicates()).isEqualTo(3);
        assertThat(day.topics().get(0).distances().within(0.3))
                .isBetween(Duration.ofSeconds(10), Duration.ofSeconds(12));
        assertThat(day.topics().get(0).distances().within(1)).isBetween(Duration.ofHours(3), Duration.ofMinutes(203));
        assertThat(day.mostCopied()).extracting(CopiedMessage::id).containsExactly("\"b\"", "\"a\"");
        assertThat(day.text())
                .contains("billing:orders: 2 handled, 3 duplicates {replayed=2, resent=1}")
                .contains(
                        "2 copies of \"b\" (billing:orders), the last one replayed at 2026-03-01T09:30:00Z; first at 3@36");

        now = now.plus(Duration.ofHours(23));
        assertThat(reports.report(24).topics().get(0).allDuplicates()).isEqualTo(2);
        now = now.plus(Duration.ofDays(9));
        assertThat(reports.report(24).topics()).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> reports.report(25))
                .withMessageContaining("1 to 24");
        assertThatIllegalArgumentException().isThrownBy(() -> reports.report(0));
    }

    @Test
    @DisplayName("are bounded: any number of topics and IDs, and IDs of any content, which are escaped and cut")
    void bounded() {
        for (int i = 0; i < 10_000; i++) {
            copy(reports, key("t" + i, "once-" + i), DuplicateCause.UNKNOWN, Duration.ofSeconds(-1));
            copy(reports, key("orders", "hot\n\u202e" + "x".repeat(200)), DuplicateCause.RESENT, Duration.ZERO);
        }
        DuplicationReport report = reports.report(1);
        assertThat(report.topics()).hasSizeLessThanOrEqualTo(DuplicationReports.MAX_TOPICS + 1);
        assertThat(report.topics().stream()
                        .mapToLong(TopicReport::allDuplicates)
                        .sum())
                .isEqualTo(20_000);
        assertThat(report.mostCopied()).hasSize(DuplicationReport.MAX_COPIED);
        CopiedMessage hot = report.mostCopied().get(0);
        assertThat(hot.id()).startsWith("\"hot\\u000a\\u202e").hasSizeLessThan(200);
        assertThat(hot.copies()).isEqualTo(10_000);
        assertThat(hot.atLeast()).isEqualTo(10_000);
    }

    @Test
    @DisplayName("of several processes are merged")
    void merged() {
        DuplicationReports other = new DuplicationReports(() -> now);
        copy(reports, key("orders", "a"), DuplicateCause.RESENT, Duration.ofSeconds(1));
        copy(other, key("orders", "a"), DuplicateCause.REDELIVERED, Duration.ofSeconds(1));
        copy(other, key("bills", "a"), DuplicateCause.REDELIVERED, Duration.ofSeconds(1));
        DuplicationReport both = DuplicationReport.merged(List.of(reports.report(1), other.report(1)));
        assertThat(both.topics()).hasSize(2);
        assertThat(both.topics().get(0).duplicates()).hasSize(2);
        assertThat(both.mostCopied().get(0).copies()).isEqualTo(2);
    }

    @Test
    @DisplayName("count a distance where it belongs, for any number of milliseconds")
    void steps() {
        for (long millis : new long[] {0, 1, 7, 8, 15, 16, 17, 1_000, 604_800_000L, Long.MAX_VALUE}) {
            long step = Distances.step(millis);
            assertThat(step - millis).isBetween(0L, millis / 8);
        }
        assertThat(Distances.step(-5)).isZero();
    }
}
