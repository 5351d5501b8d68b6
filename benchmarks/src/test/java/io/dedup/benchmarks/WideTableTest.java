package io.dedup.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class WideTableTest {
    @Test
    void aRowHasAFigureForEachContenderAndADashWhereThereIsNone() {
        WideTable table = new WideTable(List.of("store", "handler"), List.of("dedup", "by hand", "Camel"));
        table.add(List.of("Redis", "nothing"), "dedup", 102_806);
        table.add(List.of("Redis", "nothing"), "Camel", 8_915.4);
        table.add(List.of("Redis", "1 ms"), "by hand", 1_109);
        Report report = new Report(new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));

        table.print(report);

        assertThat(report).hasToString("""
                | store | handler | dedup | by hand | Camel |
                | --- | --- | --- | --- | --- |
                | Redis | nothing | 103,000 | – | 8,920 |
                | Redis | 1 ms | – | 1,110 | – |

                """);
    }
}
