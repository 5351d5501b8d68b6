package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.migration.ImportReport;
import io.dedup.migration.ImportReport.Problem;
import io.dedup.migration.ImportedId;
import io.dedup.policy.DedupMode;
import io.dedup.store.ClaimRequest;
import io.dedup.store.Owner;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Messages that were handled before dedup was introduced. */
class ImportTest extends TransactionalTestBase {
    private static final ResultCodec<String> TEXT = new ResultCodec<>() {
        @Override
        public byte[] encode(String result) {
            return result.getBytes(StandardCharsets.ISO_8859_1);
        }

        @Override
        public String decode(byte[] bytes) {
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }
    };

    private final Instant hourAgo = clock.instant().minus(Duration.ofHours(1));

    private static DedupOutcome<String> handle(Deduplicator dedup, String id) {
        return dedup.execute(DedupCall.<String>of(dedup.key(TOPIC, id)).withResult(TEXT), context -> "new");
    }

    private static ImportReport report(long read, long imported, long known, long held, long over, long refused) {
        return new ImportReport(read, imported, known, held, over, refused, 0, List.of());
    }

    @Test
    @DisplayName("what was imported is not handled; an ID of any length is found, with its result")
    void imported() {
        Deduplicator dedup = deduplicator();
        String longId = "x".repeat(1_000);

        ImportReport report = dedup.importDone(
                TOPIC,
                Stream.of(
                        ImportedId.of("a", hourAgo),
                        ImportedId.of(longId, hourAgo),
                        new ImportedId("sha256:b", hourAgo, TEXT.encode("\u00ffold"))));

        assertThat(report).isEqualTo(report(3, 3, 0, 0, 0, 0));
        assertThat(handle(dedup, "a")).isInstanceOf(Duplicate.class);
        assertThat(handle(dedup, longId)).isInstanceOf(Duplicate.class);
        assertThat(handle(dedup, "sha256:b"))
                .isInstanceOfSatisfying(
                        Duplicate.class,
                        duplicate -> assertThat(duplicate.value()).isEqualTo("\u00ffold"));
        assertThat(handle(dedup, "c")).isInstanceOf(Handled.class);
        clock.advance(Duration.ofDays(7).minusHours(1));
        assertThat(handle(dedup, "a")).isInstanceOf(Handled.class);
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.INCLUDE,
            names = {"LEASED", "LEASED_TRANSACTIONAL"})
    @DisplayName("modes with claims keep them in the store")
    void inTheStore(DedupMode mode) {
        Deduplicator dedup = mode == DedupMode.LEASED ? deduplicator() : in(mode);

        assertThat(dedup.importDone(TOPIC, Stream.of(ImportedId.of("a", hourAgo)))
                        .imported())
                .isEqualTo(1);

        assertThat(record("a").completedAt()).isEqualTo(hourAgo);
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.INCLUDE,
            names = {"TRANSACTIONAL", "TIERED"})
    @DisplayName("modes whose table decides keep them there; records that cannot import are refused")
    void inTheTable(DedupMode mode) {
        Deduplicator dedup = in(mode);

        assertThatThrownBy(() -> dedup.importDone(TOPIC, Stream.of(ImportedId.of("a", hourAgo))))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("importing");
        assertThat(store.find(key("a"))).isEmpty();
    }

    @Test
    @DisplayName("each ID is counted once: known, held, over, refused; problems have their position")
    void counts() {
        Deduplicator dedup = deduplicator(policy -> policy.maxResultBytes(4));
        handle(dedup, "known");
        store.claim(List.of(new ClaimRequest(key("held"), new Owner("elsewhere"), Duration.ofMinutes(1))))
                .get(0);

        ImportReport report = dedup.importDone(
                TOPIC,
                Stream.of(
                        ImportedId.of("known", hourAgo),
                        ImportedId.of("held", hourAgo),
                        ImportedId.of("over", clock.instant().minus(Duration.ofDays(8))),
                        ImportedId.of(" ", hourAgo),
                        new ImportedId(null, hourAgo, null),
                        new ImportedId("lone \ud800", hourAgo, null),
                        new ImportedId("no time", null, null),
                        ImportedId.of("before", Instant.EPOCH.minusSeconds(1)),
                        ImportedId.of("micros", Instant.ofEpochMilli(hourAgo.toEpochMilli() * 1_000)),
                        new ImportedId("large", hourAgo, new byte[5]),
                        ImportedId.of("twice", hourAgo),
                        ImportedId.of("twice", hourAgo.plusSeconds(1))));

        assertThat(report.withoutResult()).isEqualTo(1);
        assertThat(report)
                .usingRecursiveComparison()
                .ignoringFields("problems", "withoutResult")
                .isEqualTo(report(12, 2, 2, 1, 1, 6));
        assertThat(report.isComplete()).isFalse();
        assertThat(report.problems())
                .extracting(Problem::position)
                .containsExactlyInAnyOrder(2L, 4L, 5L, 6L, 7L, 8L, 9L);
        assertThat(report.problems()).extracting(Problem::text).anyMatch(text -> text.contains("time zone"));
        assertThat(record("twice").completedAt()).isEqualTo(hourAgo.plusSeconds(1));
        assertThat(record("large").result()).isNull();
    }

    @Test
    @DisplayName(
            "progress is reported batch by batch; a failure of the store says how far it came, and repeating continues")
    void stops() {
        Deduplicator dedup = deduplicator();
        List<ImportReport> progress = new ArrayList<>();
        List<ImportedId> ids = IntStream.range(0, 1_200)
                .mapToObj(i -> ImportedId.of("id-" + i, hourAgo))
                .toList();
        store.on(Op.IMPORT, Faults.times(2, Faults.down())); // repeated at once
        assertThat(dedup.importDone(TOPIC, ids.stream(), progress::add)).isEqualTo(report(1_200, 1_200, 0, 0, 0, 0));
        assertThat(progress).extracting(ImportReport::read).containsExactly(500L, 1_000L, 1_200L);

        List<ImportedId> more = IntStream.range(0, 1_200)
                .mapToObj(i -> ImportedId.of("more-" + i, hourAgo))
                .toList();
        store.on(Op.IMPORT, (call, real) -> {
            if (call.requests().size() < 500) {
                return Faults.down().answer(call, real);
            }
            return real.apply(call.requests());
        });
        assertThatThrownBy(() -> dedup.importDone(TOPIC, more.stream()))
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("after 1000 IDs")
                .hasMessageContaining("store is down");

        store.heal();
        assertThat(dedup.importDone(TOPIC, more.stream())).isEqualTo(report(1_200, 200, 1_000, 0, 0, 0));
        assertThat(dedup.importDone(TOPIC, Stream.empty())).isEqualTo(report(0, 0, 0, 0, 0, 0));
    }

    @Test
    @DisplayName("a stream that fails ends the import; what came before stays")
    void streamFails() {
        Deduplicator dedup = deduplicator();
        Stream<ImportedId> ids = IntStream.range(0, 600).mapToObj(i -> {
            if (i == 550) {
                throw new IllegalStateException("the file is damaged");
            }
            return ImportedId.of("id-" + i, hourAgo);
        });

        assertThatThrownBy(() -> dedup.importDone(TOPIC, ids)).isInstanceOf(IllegalStateException.class);

        assertThat(store.find(key("id-0"))).isPresent();
    }
}
