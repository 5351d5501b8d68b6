package io.dedup.store.operator;

import java.util.List;

/**
 * Messages that began and aren't done.
 *
 * @param records in no order, none twice
 * @param complete whether these are all; false when there are more, or may be
 */
public record StuckRecords(List<StuckRecord> records, boolean complete) {
    public StuckRecords {
        records = List.copyOf(records);
    }
}
