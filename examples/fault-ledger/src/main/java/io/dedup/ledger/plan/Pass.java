package io.dedup.ledger.plan;

import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Rows that share messages, faults, consumer processes and servers.
 *
 * @param combinations of these rows, in their order
 */
public record Pass(RunSize size, Map<Row, Combination> combinations) {
    /** Every row in the plain circumstances. */
    public static Pass plain(RunSize size, Collection<Row> rows) {
        Map<Row, Combination> combinations = new EnumMap<>(Row.class);
        rows.forEach(row -> combinations.put(row, Combination.plain(size.seed(), row)));
        return new Pass(size, combinations);
    }

    /** Every row in circumstances that the seed decides. */
    public static Pass drawn(RunSize size, Collection<Row> rows, Wanted wanted) {
        Map<Row, Combination> combinations = new EnumMap<>(Row.class);
        rows.forEach(row -> combinations.put(row, Combination.drawn(size.seed(), row, wanted)));
        return new Pass(size, combinations);
    }

    public List<Row> rows() {
        return List.copyOf(combinations.keySet());
    }

    public Combination of(Row row) {
        return Objects.requireNonNull(combinations.get(row));
    }

    /** The same for all rows: they are sent the same. */
    public int partitions() {
        return combinations.values().iterator().next().partitions();
    }
}
