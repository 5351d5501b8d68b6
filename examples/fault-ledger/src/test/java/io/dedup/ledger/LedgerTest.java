package io.dedup.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.ledger.plan.Contender;
import io.dedup.ledger.plan.Pass;
import io.dedup.ledger.plan.Row;
import io.dedup.ledger.plan.RunSize;
import io.dedup.ledger.plan.Settings;
import io.dedup.ledger.plan.Shape;
import io.dedup.ledger.plan.Wanted;
import io.dedup.ledger.report.TextReport;
import io.dedup.ledger.tally.RowResult;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The short form: every kind of fault, our modes and three others; {@link LedgerMain} is the long one. The seed draws a Kafka
 * transaction, a retry topic, batches, and acknowledgments by the handler of a record and of a batch, static and dynamic
 * members, and all three ways to share partitions.
 */
@Tag("long")
class LedgerTest {
    private static final long SEED = 3984;

    @TempDir
    private Path directory;

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES) // servers and a dozen JVM starts, on a machine that may be busy
    void ourPromisesHoldAndOthersDont() throws Exception {
        List<RowResult> results = new CombinationRuns(Settings.of(
                        "--rows=leased-redis,leased-jdbc,leased-transactional,transactional,tiered,none,integration,unique-row",
                        "--combinations=1",
                        "--messages=200",
                        "--faults=15",
                        "--kinds=all",
                        "--seed=" + SEED,
                        "--calm-ms=0",
                        "--bound-s=180",
                        "--directory=" + directory))
                .results();
        System.out.print(TextReport.of(results));

        Map<Contender, RowResult> by = new HashMap<>();
        results.forEach(result -> by.put(result.row(), result));
        assertThat(Pass.drawn(new RunSize(1, 1, RunSize.ALL, SEED), List.of(Row.values()), Wanted.NOTHING)
                        .combinations()
                        .entrySet()
                        .stream()
                        .filter(each -> each.getKey().isOurs() && each.getKey().effects() == 1)
                        .map(each -> each.getValue().shape()))
                .containsExactly(
                        Shape.KAFKA_TRANSACTION,
                        Shape.RETRY_TOPIC,
                        Shape.BATCH,
                        Shape.MANUAL_IMMEDIATE,
                        Shape.BATCH_MANUAL);
        assertThat(results).hasSize(8).allSatisfy(result -> {
            if (result.row().isOurs()) {
                assertThat(result.lost()).isZero();
                assertThat(result.stuck()).isZero();
                assertThat(result.deadLettered()).isZero();
                // Every handler of an effect beyond the first could see its attempt; data loss has its own column.
                assertThat(result.recognizable()).isEqualTo(result.doubled());
            }
            if (result.row().isExact()) {
                assertThat(result.effects()).isEqualTo(result.expected());
            }
            assertThat(result.brokenPromises()).isEmpty();
        });
        // The ledger finds what other schemes double and lose.
        assertThat(of(by, Row.NONE).doubled()).isPositive();
        assertThat(of(by, Row.NONE).lost()).isZero();
        assertThat(of(by, Row.INTEGRATION).lost()).isPositive(); // marks before the effect
        assertThat(of(by, Row.UNIQUE_ROW).effects())
                .isEqualTo(of(by, Row.UNIQUE_ROW).expected());
    }

    private static RowResult of(Map<Contender, RowResult> results, Row row) {
        return Objects.requireNonNull(results.get(row));
    }
}
