package io.dedup.ledger.report;

import io.dedup.ledger.plan.Row;
import io.dedup.ledger.plan.RunSize;
import io.dedup.ledger.tally.RowResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All results so far, as CSV: a line is added when its row is measured. */
public final class LedgerFile {
    private final Path file;

    public LedgerFile(Path file) {
        this.file = file;
    }

    /** Adds rows. */
    public void append(List<RowResult> results) throws IOException {
        List<String> lines = new ArrayList<>();
        if (!Files.exists(file)) {
            lines.add("row,faults,kinds,seed,date,"
                    + Arrays.stream(Column.values()).map(Column::id).collect(Collectors.joining(",")));
        }
        for (RowResult result : results) {
            lines.add(Stream.concat(
                            Stream.of(
                                    result.row().id(),
                                    String.valueOf(result.size().faults()),
                                    result.size().kinds(),
                                    String.valueOf(result.size().seed()),
                                    result.date().toString()),
                            Arrays.stream(Column.values()).map(column -> column.of(result)))
                    .collect(Collectors.joining(",")));
        }
        Files.write(file, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** What was measured in this size; nothing when there is no file yet. */
    public List<RowResult> results(RunSize size) throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        List<String> lines = Files.readAllLines(file);
        List<String> names = List.of(lines.get(0).split(",", -1));
        return lines.stream()
                .skip(1)
                .map(line -> result(names, line.split(",", -1)))
                .filter(result -> result.size().equals(size))
                .toList();
    }

    private static RowResult result(List<String> names, String[] line) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < line.length; i++) {
            values.put(names.get(i), line[i]);
        }
        return new RowResult(
                Row.of(text(values, "row")),
                new RunSize(
                        integer(values, Column.MESSAGES),
                        Integer.parseInt(text(values, "faults")),
                        text(values, "kinds"),
                        Long.parseLong(text(values, "seed"))),
                LocalDate.parse(text(values, "date")),
                integer(values, Column.EXPECTED),
                integer(values, Column.EFFECTS),
                integer(values, Column.LOST),
                integer(values, Column.DOUBLED),
                integer(values, Column.TOLD),
                integer(values, Column.AFTER_LOSS),
                integer(values, Column.STUCK),
                integer(values, Column.DEAD_LETTERED),
                integer(values, Column.P50),
                integer(values, Column.P99),
                Double.parseDouble(text(values, Column.ROUND_TRIPS.id())));
    }

    private static int integer(Map<String, String> values, Column column) {
        return Integer.parseInt(text(values, column.id()));
    }

    private static String text(Map<String, String> values, String name) {
        return Objects.requireNonNull(values.get(name), name);
    }
}
