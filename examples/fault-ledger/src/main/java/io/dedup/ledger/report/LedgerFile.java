package io.dedup.ledger.report;

import io.dedup.ledger.plan.Contender;
import io.dedup.ledger.plan.RunSize;
import io.dedup.ledger.tally.RowResult;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVPrinter;
import org.apache.commons.csv.CSVRecord;

/** All results so far, as CSV: a line is added when its row is measured. */
public final class LedgerFile {
    private static final String[] HEADER = Stream.concat(
                    Stream.of("row", "faults", "kinds", "seed", "combination", "date"),
                    Arrays.stream(Column.values()).map(Column::id))
            .toArray(String[]::new);
    private static final CSVFormat FORMAT =
            CSVFormat.DEFAULT.builder().setRecordSeparator('\n').get();

    private final Path file;
    private final Function<String, ? extends Contender> rows;

    /** @param rows by their IDs */
    public LedgerFile(Path file, Function<String, ? extends Contender> rows) {
        this.rows = rows;
        this.file = file;
    }

    /** Adds rows. */
    public void append(List<RowResult> results) throws IOException {
        boolean isNew = !Files.exists(file);
        try (Writer writer = Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                CSVPrinter printer = new CSVPrinter(writer, FORMAT)) {
            if (isNew) {
                printer.printRecord((Object[]) HEADER);
            }
            for (RowResult result : results) {
                printer.printRecord(line(result));
            }
        }
    }

    private static List<Object> line(RowResult result) {
        List<Object> values = new ArrayList<>(List.of(
                result.row().id(),
                result.size().faults(),
                result.size().kinds(),
                result.size().seed(),
                result.combination(),
                result.date()));
        Arrays.stream(Column.values()).map(column -> column.of(result)).forEach(values::add);
        return values;
    }

    /** What was measured in this size; nothing when there is no file yet. */
    public List<RowResult> results(RunSize size) throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        CSVFormat withHeader =
                FORMAT.builder().setHeader().setSkipHeaderRecord(true).get();
        try (Reader reader = Files.newBufferedReader(file);
                CSVParser lines = withHeader.parse(reader)) {
            return lines.stream()
                    .map(this::result)
                    .filter(result -> result.size().equals(size))
                    .toList();
        }
    }

    private RowResult result(CSVRecord line) {
        return new RowResult(
                rows.apply(line.get("row")),
                new RunSize(
                        integer(line, Column.MESSAGES),
                        Integer.parseInt(line.get("faults")),
                        line.get("kinds"),
                        Long.parseLong(line.get("seed"))),
                line.get("combination"),
                LocalDate.parse(line.get("date")),
                integer(line, Column.EXPECTED),
                integer(line, Column.EFFECTS),
                integer(line, Column.LOST),
                integer(line, Column.DOUBLED),
                integer(line, Column.RECOGNISABLE),
                integer(line, Column.FIRST_WARNED),
                integer(line, Column.AFTER_LOSS),
                integer(line, Column.STUCK),
                integer(line, Column.DEAD_LETTERED),
                integer(line, Column.P50),
                integer(line, Column.P99),
                Double.parseDouble(line.get(Column.ROUND_TRIPS.id())));
    }

    private static int integer(CSVRecord line, Column column) {
        return Integer.parseInt(line.get(column.id()));
    }
}
