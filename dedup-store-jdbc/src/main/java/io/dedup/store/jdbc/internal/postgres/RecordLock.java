package io.dedup.store.jdbc.internal.postgres;

import io.dedup.DedupKey;
import io.dedup.store.jdbc.internal.sql.KeyBytes;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.TableName;
import io.dedup.text.Utf8;
import java.nio.ByteBuffer;
import java.util.Locale;

/**
 * Computes the advisory locks of a table's records: the same in every process, and different from others. 64 bits,
 * because two keys with the same lock would block each other. Thread-safe.
 */
final class RecordLock {
    /** A byte that does not occur in UTF-8. */
    private static final byte SEPARATOR = (byte) 0xff;

    private final byte[] table;
    private final KeyFormat keys;

    RecordLock(TableName table, KeyFormat keys) {
        this.keys = keys;
        this.table = KeyBytes.utf8(table.name().toLowerCase(Locale.ROOT));
    }

    long of(DedupKey key) {
        return of(keys.scope(key), keys.messageId(key));
    }

    long of(byte[] scope, byte[] id) {
        ByteBuffer all = ByteBuffer.allocate(table.length + scope.length + id.length + 2);
        all.put(table).put(SEPARATOR).put(scope).put(SEPARATOR).put(id);
        return ByteBuffer.wrap(Utf8.sha256(all.array())).getLong();
    }
}
