package io.dedup.store.operator;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.store.StoredRecord;
import java.util.Objects;

/**
 * A message whose handling was started and is not done.
 *
 * @param scope as stores keep it, {@link DedupScope#text()}: a hash if the names are long
 * @param messageId as stores keep it, {@link DedupKey#messageId()}: a hash if the ID is long
 * @param record RELEASED, PROCESSING or ABANDONED
 */
public record StuckRecord(String scope, String messageId, StoredRecord record) {
    public StuckRecord {
        Objects.requireNonNull(scope, "scope");
        Objects.requireNonNull(messageId, "messageId");
        if (record.state() == StoredRecord.State.DONE) {
            throw new IllegalArgumentException("a DONE record cannot be stuck");
        }
    }

    /**
     * Returns the key of this record, for a caller that knows its scope.
     *
     * @throws IllegalArgumentException if the record belongs to another scope
     */
    public DedupKey key(DedupScope known) {
        if (!known.text().equals(scope)) {
            throw new IllegalArgumentException("the record belongs to another scope than " + known);
        }
        return new DedupKey(known, messageId);
    }
}
