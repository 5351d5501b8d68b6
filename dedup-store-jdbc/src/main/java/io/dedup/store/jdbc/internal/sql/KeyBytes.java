package io.dedup.store.jdbc.internal.sql;

import io.dedup.DedupKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Keys as the database sees them. Their lengths are checked where a {@link DedupKey} is made: 255 bytes each. */
public final class KeyBytes {
    /** The one order in which every process touches the rows of a batch, so that two batches can't deadlock. */
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
