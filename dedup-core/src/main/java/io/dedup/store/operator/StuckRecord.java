package io.dedup.store.operator;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.store.StoredRecord;
import java.util.Objects;

/**
 * A message that began and isn't done.
 *
 * @param scope as a store keeps it, {@link DedupScope#text()}: a hash where the names are long
 * @param messageId as a store keeps it, {@link DedupKey#messageId()}: a hash where the ID is long
 * @param record RELEASED, PROCESSING or ABANDONED
 */
public record StuckRecord(String scope, String messageId, StoredRecord record) {
    public StuckRecord {
        Objects.requireNonNull(scope, "scope");
        Objects.requireNonNull(messageId, "messageId");
        if (record.state() == StoredRecord.State.DONE) {
            throw new IllegalArgumentException("a record that is done isn't stuck");
        }
    }

    /**
     * Its key, for who knows the scope.
     *
     * @throws IllegalArgumentException when it is another scope's
     */
    public DedupKey key(DedupScope known) {
        if (!known.text().equals(scope)) {
            throw new IllegalArgumentException("the record is of another scope than " + known);
        }
        return new DedupKey(known, messageId);
    }
}
