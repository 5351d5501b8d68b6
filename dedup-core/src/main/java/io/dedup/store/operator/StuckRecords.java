package io.dedup.store.operator;

import java.util.List;

/**
 * Messages whose handling was started and is not done.
 *
 * @param records in no particular order, each once
 * @param complete whether these are all; false if there are, or may be, more
 */
public record StuckRecords(List<StuckRecord> records, boolean complete) {
    public StuckRecords {
        records = List.copyOf(records);
    }
}
