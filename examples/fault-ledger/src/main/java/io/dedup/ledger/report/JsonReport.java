package io.dedup.ledger.report;

import io.dedup.ledger.tally.RowResult;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The ledger for programs: an array of objects. */
public final class JsonReport {
    private JsonReport() {}

    /** All texts in it are our own, and need no escapes. */
    public static String of(List<RowResult> results) {
        return results.stream().map(JsonReport::of).collect(Collectors.joining(",\n  ", "[\n  ", "\n]\n"));
    }

    private static String of(RowResult result) {
        return "{\"row\": \"" + result.row().id() + "\", \"title\": \""
                + result.row().title() + "\", \"date\": \"" + result.date() + "\", \"faults\": "
                + result.size().faults() + ", \"kinds\": \"" + result.size().kinds() + "\", \"seed\": "
                + result.size().seed() + ", "
                + Arrays.stream(Column.values())
                        .map(column -> "\"" + column.id() + "\": " + column.of(result))
                        .collect(Collectors.joining(", "))
                + "}";
    }
}
