package io.dedup.ledger.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.ledger.plan.Row;
import io.dedup.ledger.plan.RunSize;
import io.dedup.ledger.tally.RowResult;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

class ReportTest {
    private static final RunSize SIZE = new RunSize(100, 10, RunSize.ALL, 3);
    private static final RowResult NONE = result(Row.NONE, SIZE);
    private static final RowResult TIERED = result(Row.TIERED, SIZE);

    @TempDir
    private Path directory;

    @Test
    void theFileGivesBackWhatWasAddedInOneSize() throws IOException {
        LedgerFile file = new LedgerFile(directory.resolve("ledger.csv"), Row::of);
        assertThat(file.results(SIZE)).isEmpty();
        file.append(List.of(NONE));
        file.append(List.of(result(Row.NONE, new RunSize(100, 10, "kill+pause", 3)), TIERED));
        assertThat(file.results(SIZE)).containsExactly(NONE, TIERED);
    }

    @Test
    void thePageNeedsNoOtherFileAndIsWellFormed() throws Exception {
        String html = HtmlReport.of(List.of(NONE, TIERED));
        assertThat(html).contains(NONE.row().title(), "<svg").doesNotContain("src=", "href=", "url(", "@import");
        String body = html.substring(html.indexOf("<body>"), html.indexOf("</html>"));
        assertThat(DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(new InputSource(new StringReader(body)))
                        .getElementsByTagName("rect")
                        .getLength())
                .isEqualTo(2 * 7);
    }

    @Test
    void thePictureIsWellFormedAndNamesEachRow() throws Exception {
        String svg = SvgReport.of(List.of(NONE, TIERED));
        assertThat(svg)
                .contains(NONE.row().title(), TIERED.row().title(), ">4<", ">5<", "10 faults did to 100 messages");
        assertThat(DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(new InputSource(new StringReader(svg)))
                        .getElementsByTagName("rect")
                        .getLength())
                .isEqualTo(1 + 1 + 2 * 2); // the ground, behind the one row that is ours, and the bars
    }

    @Test
    void theTableShowsWhatIsWrong() {
        assertThat(TextReport.of(List.of(NONE)).lines())
                .hasSize(3)
                .last()
                .asString()
                .contains("no dedup at all", "**4**");
    }

    @Test
    void numbersAreNumbersInJson() {
        assertThat(JsonReport.of(List.of(NONE, TIERED)))
                .contains("\"row\": \"none\"", "\"lost\": 4", "\"round_trips\": 2.5");
    }

    @Test
    void combinationsAreAddedUpByRowAndByWord() {
        assertThat(DimensionReport.of(List.of(NONE, TIERED)).lines())
                .contains(
                        "| no dedup at all | 1 | 99 | 4 | 5 | 3 | 2 | 1 | 0 | 0 |",
                        "| `plain` | 2 | 198 | 8 | 10 | 6 | 4 | 2 | 0 | 4 |");
    }

    private static RowResult result(Row row, RunSize size) {
        return new RowResult(row, size, "plain", LocalDate.of(2026, 1, 2), 99, 104, 4, 5, 3, 6, 2, 1, 0, 7, 800, 2.5);
    }
}
