package io.dedup.store.jdbc.internal.sql;

import io.dedup.DedupKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Keys as stored in the database. Their lengths are checked when a {@link DedupKey} is created: 255 bytes each. */
public final class KeyBytes {
    /** The order in which every process accesses the rows of a batch, so that two batches cannot deadlock. */
    public static final Comparator<DedupKey> ORDER = Comparator.comparing(DedupKey::messageId)
            .thenComparing(key -> key.scope().text());

    private KeyBytes() {}

    public static byte[] scope(DedupKey key) {
        return utf8(key.scope().text());
    }

    public static byte[] messageId(DedupKey key) {
        return utf8(key.messageId());
    }

    public static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** The keys by the text of their scope; a batch seldom has more than one. */
    public static Map<String, List<DedupKey>> byScope(Collection<DedupKey> keys) {
        Map<String, List<DedupKey>> byScope = new LinkedHashMap<>();
        for (DedupKey key : keys) {
            byScope.computeIfAbsent(key.scope().text(), any -> new ArrayList<>(keys.size()))
                    .add(key);
        }
        return byScope;
    }
}
