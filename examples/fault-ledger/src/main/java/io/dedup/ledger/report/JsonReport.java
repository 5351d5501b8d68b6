package io.dedup.ledger.report;

import io.dedup.ledger.tally.RowResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.core.util.Separators;
import tools.jackson.core.util.Separators.Spacing;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/** The ledger for programs: an array of objects. */
public final class JsonReport {
    private static final ObjectWriter JSON = new JsonMapper()
            .writer()
            .with(new DefaultPrettyPrinter(
                    Separators.createDefaultInstance().withObjectNameValueSpacing(Spacing.AFTER)));

    private JsonReport() {}

    /** With a line feed at its end. */
    public static String of(List<RowResult> results) {
        return JSON.writeValueAsString(results.stream().map(JsonReport::of).toList()) + "\n";
    }

    private static Map<String, Object> of(RowResult result) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("row", result.row().id());
        values.put("title", result.row().title());
        values.put("combination", result.combination());
        values.put("date", result.date().toString());
        values.put("faults", result.size().faults());
        values.put("kinds", result.size().kinds());
        values.put("seed", result.size().seed());
        for (Column column : Column.values()) {
            values.put(column.id(), column.of(result));
        }
        return values;
    }
}
