package io.dedup.failover.report;

import io.dedup.failover.count.Count;
import io.dedup.failover.plan.Size;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVPrinter;
import org.apache.commons.csv.CSVRecord;

/** All passes so far, as CSV: a line is added after each, so that a stopped run can be continued. */
public final class ResultFile {
    private static final CSVFormat FORMAT = CSVFormat.DEFAULT
            .builder()
            .setHeader(
                    "scenario",
                    "date",
                    "seed",
                    "rate",
                    "failovers",
                    "sent",
                    "copies",
                    "effects",
                    "lost",
                    "gone",
                    "doubled",
                    "told",
                    "forgotten",
                    "stuck",
                    "longest_pause_ms")
            .setRecordSeparator('\n')
            .get();

    private final Path file;

    public ResultFile(Path file) {
        this.file = file;
    }

    /** Adds a pass. */
    public void add(String scenario, Size size, Count count) throws IOException {
        CSVFormat format =
                FORMAT.builder().setSkipHeaderRecord(Files.exists(file)).get();
        try (Writer writer = Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                CSVPrinter printer = new CSVPrinter(writer, format)) {
            printer.printRecord(
                    scenario,
                    LocalDate.now(ZoneId.systemDefault()),
                    size.seed(),
                    size.rate(),
                    count.failovers(),
                    count.sent(),
                    count.copies(),
                    count.effects(),
                    count.lost(),
                    count.gone(),
                    count.doubled(),
                    count.told(),
                    count.forgotten(),
                    count.stuck(),
                    count.longestPauseMillis());
        }
    }

    /** The passes of this scenario and size. */
    public List<Count> find(String scenario, Size size) throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        try (Reader reader = Files.newBufferedReader(file);
                CSVParser lines =
                        FORMAT.builder().setSkipHeaderRecord(true).get().parse(reader)) {
            return lines.stream()
                    .filter(line -> line.get("scenario").equals(scenario)
                            && size.equals(new Size(
                                    integer(line, "failovers"),
                                    integer(line, "rate"),
                                    Long.parseLong(line.get("seed")))))
                    .map(ResultFile::count)
                    .toList();
        }
    }

    private static Count count(CSVRecord line) {
        return new Count(
                integer(line, "failovers"),
                integer(line, "sent"),
                Long.parseLong(line.get("copies")),
                integer(line, "effects"),
                integer(line, "lost"),
                integer(line, "gone"),
                integer(line, "doubled"),
                integer(line, "told"),
                integer(line, "forgotten"),
                integer(line, "stuck"),
                Long.parseLong(line.get("longest_pause_ms")));
    }

    private static int integer(CSVRecord line, String column) {
        return Integer.parseInt(line.get(column));
    }
}
