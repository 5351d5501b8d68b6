package io.dedup.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.dedup.DedupKey;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupScope;
import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.DuplicateDetails;
import io.dedup.duplicate.MessagePlace;
import io.dedup.text.Printable;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Reports of duplicates")
class DuplicationReportsTest {
    private static final List<DuplicateCause> CAUSES = List.of(DuplicateCause.values());

    private Instant now = Instant.parse("2026-03-01T08:30:00Z");
    private final DuplicationReports reports = new DuplicationReports(() -> now);

    private static DedupKey key(String topic, String id) {
        return DedupKey.of(DedupScope.of("billing", topic), id);
    }

    private void copy(DuplicationReports reports, DedupKey key, DuplicateCause cause, Duration age) {
        MessagePlace place = new MessagePlace("3", 36, 1, 30);
        reports.explained(key, new DuplicateDetails(cause, now.minus(age), place, place, "shop-7\n", false));
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
                        "2 copies of \"b\" (billing:orders), the last one replayed at 2026-03-01T09:30:00Z, sent by \"shop-7\\u000a\"; first at 3@36");

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

    private List<DuplicationReports> processes() {
        return Stream.generate(() -> new DuplicationReports(() -> now)).limit(3).toList();
    }

    /** What one of the processes sees, {@link #reports} sees as well. Returns how many copies each message has. */
    private Map<String, Long> see(Random random, int ids, List<DuplicationReports> processes) {
        Map<String, Long> copies = new HashMap<>();
        for (int i = 0; i < 5_000; i++) {
            if (random.nextInt(1_000) == 0) {
                now = now.plus(Duration.ofMinutes(random.nextInt(90)));
            }
            int id = (int) (ids * Math.pow(random.nextDouble(), 3));
            DedupKey key = key("t" + id % 3, "x".repeat(100) + id);
            DuplicateCause cause = CAUSES.get(random.nextInt(CAUSES.size()));
            Duration age = Duration.ofMillis(random.nextLong(-1_000, 10_000_000));
            for (DuplicationReports each : List.of(processes.get(random.nextInt(processes.size())), reports)) {
                copy(each, key, cause, age);
                each.completed(key, Duration.ZERO);
                each.deferred(key, DeferReason.IN_FLIGHT, Duration.ZERO);
                each.released(key, i % 2 == 0 ? new IllegalStateException() : null);
                each.poison(key, 3);
            }
            copies.merge(Printable.identified(key.messageId()), 1L, Long::sum);
            now = now.plusMillis(1); // so that one of the copies is the last one
        }
        return copies;
    }

    private static DuplicationReport merged(List<DuplicationReports> processes, int limit) {
        return DuplicationReport.merged(
                processes.stream()
                        .map(each -> each.report(24, DuplicationReport.ALL_COPIED))
                        .toList(),
                limit);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    @DisplayName("of several processes are merged to that of one process that has seen everything")
    void merged(long seed) {
        List<DuplicationReports> processes = processes();
        Map<String, Long> copies = see(new Random(seed), CopiedIds.CAPACITY, processes);
        DuplicationReport one = reports.report(24);
        assertThat(merged(processes, DuplicationReport.MAX_COPIED)).isEqualTo(one);
        assertThat(one.mostCopied())
                .hasSize(10)
                .allSatisfy(each ->
                        assertThat(each.copies()).isEqualTo(each.atLeast()).isEqualTo(copies.get(each.id())));
        assertThat(one.unlisted())
                .isEqualTo(copies.values().stream()
                        .sorted(Comparator.reverseOrder())
                        .toList()
                        .get(10));
        assertThat(merged(processes, DuplicationReport.ALL_COPIED).unlisted()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    @DisplayName(
            "of more messages than are kept: each count is between its bounds, and none with many copies is missed")
    void mergedBounds(long seed) {
        List<DuplicationReports> processes = processes();
        Map<String, Long> copies = see(new Random(seed), 1_000, processes);
        for (DuplicationReport report : List.of(
                merged(processes, DuplicationReport.ALL_COPIED),
                merged(processes, 20),
                reports.report(24, DuplicationReport.ALL_COPIED),
                DuplicationReport.merged(
                        List.of(
                                processes.get(0).report(24),
                                processes.get(1).report(24),
                                processes.get(2).report(24)),
                        10))) {
            Set<String> listed = new HashSet<>();
            for (CopiedMessage each : report.mostCopied()) {
                listed.add(each.id());
                assertThat(copies.get(each.id())).isBetween(each.atLeast(), each.copies());
            }
            assertThat(copies).allSatisfy((id, count) -> {
                if (!listed.contains(id)) {
                    assertThat(count).isLessThanOrEqualTo(report.unlisted());
                }
            });
        }
    }

    @Test
    @DisplayName("know the last copy of a message, whatever else had copies, and forget what is erased")
    void find() {
        copy(reports, key("orders", "a"), DuplicateCause.RESENT, Duration.ofSeconds(1));
        now = now.plus(Duration.ofHours(1));
        for (int i = 0; i < 10 * CopiedIds.CAPACITY; i++) {
            copy(reports, key("orders", "x" + i), DuplicateCause.RESENT, Duration.ofSeconds(1));
        }
        copy(reports, key("orders", "a"), DuplicateCause.REPLAYED, Duration.ofSeconds(1));
        copy(reports, key("bills", "a"), DuplicateCause.REPLAYED, Duration.ofSeconds(1));
        assertThat(reports.copies(key("orders", "a"))).satisfies(found -> {
            assertThat(found.lastAt()).isEqualTo(now);
            assertThat(found.lastCause()).isEqualTo("replayed");
            assertThat(found.lastPlace()).isEqualTo("3@36");
            assertThat(found.lastSender()).isEqualTo("\"shop-7\\u000a\"");
            assertThat(found.atLeast()).isEqualTo(2);
        });
        assertThat(reports.copies(key("orders", "b"))).isNull();
        reports.erased("a");
        assertThat(reports.copies(key("orders", "a"))).isNull();
        assertThat(reports.copies(key("bills", "a"))).isNull();
        assertThat(reports.copies(key("orders", "x999"))).isNotNull();
        assertThat(reports.report(24, DuplicationReport.ALL_COPIED).text()).doesNotContain("\"a\"");
        now = now.plus(Duration.ofHours(24));
        assertThat(reports.copies(key("orders", "x999"))).isNull();
    }

    @Test
    @DisplayName("count the duplicates of shadow mode, which take effect again, apart from those that don't")
    void shadow() {
        DedupKey key = key("orders", "a");
        reports.explained(key, new DuplicateDetails(DuplicateCause.RESENT, now, null, null, null, true));
        reports.explained(key, new DuplicateDetails(DuplicateCause.REPLAYED, now, null, null, null, true));
        DuplicationReports switchedOn = new DuplicationReports(() -> now);
        switchedOn.completed(key, Duration.ZERO);
        copy(switchedOn, key, DuplicateCause.RESENT, Duration.ofSeconds(1));

        for (DuplicationReport alone : List.of(reports.report(1), reports.report(24))) {
            assertThat(alone.topics()).singleElement().satisfies(topic -> {
                assertThat(topic.shadow()).isTrue();
                assertThat(topic.duplicates()).containsOnly(Map.entry("resent", 1L), Map.entry("replayed", 1L));
                assertThat(topic.distances().count()).isEqualTo(2);
            });
        }
        DuplicationReport merged = DuplicationReport.merged(
                List.of(reports.report(1), switchedOn.report(1)), DuplicationReport.MAX_COPIED);
        assertThat(merged.topics())
                .extracting(TopicReport::shadow, TopicReport::handled, TopicReport::allDuplicates)
                .containsExactly(tuple(false, 1L, 1L), tuple(true, 0L, 2L));
        assertThat(merged.text())
                .contains(
                        "billing:orders: 1 handled, 1 duplicates", "billing:orders (shadow): 0 handled, 2 duplicates");
        assertThat(merged.mostCopied())
                .singleElement()
                .satisfies(each -> assertThat(each.copies()).isEqualTo(3));
    }

    @Test
    @DisplayName("IDs that begin alike for longer than is shown are different ones; clocks that differ are no error")
    void hostile() {
        copy(reports, key("orders", "x".repeat(200) + "a"), DuplicateCause.RESENT, Duration.ofDays(-30));
        copy(reports, key("orders", "x".repeat(200) + "b"), DuplicateCause.RESENT, Duration.ofDays(20_000));
        DuplicationReport report = reports.report(1);
        assertThat(report.mostCopied()).hasSize(2);
        assertThat(report.topics().get(0).distances().within(0.5)).isZero();
        assertThat(report.topics().get(0).distances().within(1)).isGreaterThan(Duration.ofDays(20_000));
        now = now.minus(Duration.ofDays(2)); // the clock is set back: hours that are still to come aren't overwritten
        copy(reports, key("orders", "a"), DuplicateCause.RESENT, Duration.ZERO);
        assertThat(reports.report(24).topics().get(0).allDuplicates()).isEqualTo(3);
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
