package io.dedup.benchmarks;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A figure for each contender, side by side: a row for each case, a column for each contender. */
final class WideTable {
    private static final String NOTHING = "–";
    private static final MathContext DIGITS = new MathContext(3, RoundingMode.HALF_UP);

    private final Map<List<String>, Map<String, Double>> rows = new LinkedHashMap<>();
    private final List<String> cases;
    private final List<String> contenders;

    /**
     * An empty one.
     *
     * @param cases heads of the columns that say what is measured
     * @param contenders heads of the others
     */
    WideTable(List<String> cases, List<String> contenders) {
        this.cases = cases;
        this.contenders = contenders;
    }

    void add(List<String> row, String contender, double value) {
        rows.computeIfAbsent(row, any -> new LinkedHashMap<>()).put(contender, value);
    }

    void print(Report report) {
        List<List<String>> cells = new ArrayList<>();
        rows.forEach((row, values) ->
                cells.add(Stream.concat(row.stream(), contenders.stream().map(each -> text(values.get(each))))
                        .toList()));
        report.table(Stream.concat(cases.stream(), contenders.stream()).toList(), cells);
    }

    /** To three digits: more would be noise. */
    private static String text(@Nullable Double value) {
        return value == null
                ? NOTHING
                : String.format(Locale.ROOT, "%,.0f", BigDecimal.valueOf(value).round(DIGITS));
    }
}
