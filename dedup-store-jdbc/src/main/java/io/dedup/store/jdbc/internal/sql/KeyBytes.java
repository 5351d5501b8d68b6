package io.dedup.store.jdbc.internal.sql;

import io.dedup.DedupKey;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;

/** Text as bytes of the database, and the order of keys. */
public final class KeyBytes {
    /**
     * The order in which every process accesses the rows of a batch, so that two batches don't deadlock. Where the database
     * chooses the order itself, which in a table with digests is another one, they seldom do, and the loser tries again.
     */
    public static final Comparator<DedupKey> ORDER = Comparator.comparing(DedupKey::messageId)
            .thenComparing(key -> key.scope().text());

    private KeyBytes() {}

    public static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
