package io.dedup.store.redis.internal.record;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How a record's key is written: {@code namespace{}:<length of scope>:<scope>:<ID>}.
 *
 * <p>A cluster hashes what is between the first brace and the next closing one, unless that is nothing: with {@code {}}
 * first, the whole key decides, whatever braces the scope and the ID hold. A namespace has none; the scope's length
 * keeps {@code ("ab", "c")} and {@code ("a", "bc")} apart, and the ID is all the rest.
 */
public final class RecordKeys {
    /** More scopes than any process listens to; beyond it they are only slower. */
    private static final int CACHED_SCOPES = 1_000;

    private static final Pattern LENGTH = Pattern.compile("\\d{1,3}");

    private final String namespace;
    private final ConcurrentMap<DedupScope, byte[]> prefixes = new ConcurrentHashMap<>();

    public RecordKeys(String namespace) {
        this.namespace = namespace;
    }

    /** The bytes before the ID. Not to be changed. */
    public byte[] prefix(DedupScope scope) {
        byte[] cached = prefixes.get(scope);
        return cached != null ? cached : newPrefix(scope);
    }

    private byte[] newPrefix(DedupScope scope) {
        String text = scope.text();
        byte[] prefix = (namespace + "{}:" + text.length() + ":" + text + ":").getBytes(StandardCharsets.UTF_8);
        if (prefixes.size() < CACHED_SCOPES) {
            prefixes.put(scope, prefix);
        }
        return prefix;
    }

    /** The whole key, as it is stored. */
    public byte[] key(DedupKey key) {
        byte[] prefix = prefix(key.scope());
        byte[] id = id(key);
        byte[] whole = new byte[prefix.length + id.length];
        System.arraycopy(prefix, 0, whole, 0, prefix.length);
        System.arraycopy(id, 0, whole, prefix.length, id.length);
        return whole;
    }

    static byte[] id(DedupKey key) {
        return key.messageId().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * A key as it is stored, taken apart.
     *
     * @param scope the scope's text
     */
    public record Stored(String scope, String messageId) {}

    /** @return null when it is no record's key */
    @Nullable
    public Stored parse(byte[] key) {
        String text = new String(key, StandardCharsets.UTF_8);
        int lengthAt = namespace.length() + 3;
        int scopeAt = text.indexOf(':', lengthAt) + 1;
        if (scopeAt <= lengthAt
                || !LENGTH.matcher(text.substring(lengthAt, scopeAt - 1)).matches()) {
            return null;
        }
        int idAt = scopeAt + Integer.parseInt(text.substring(lengthAt, scopeAt - 1)) + 1;
        if (idAt >= text.length() || text.charAt(idAt - 1) != ':') {
            return null;
        }
        return new Stored(text.substring(scopeAt, idAt - 1), text.substring(idAt));
    }

    /** What the keys of all records begin with, and no other key does. */
    public byte[] allRecords() {
        return (namespace + "{}:").getBytes(StandardCharsets.UTF_8);
    }

    /** What the keys of a ping begin with, which never exist. */
    public byte[] pingKey() {
        return (namespace + "{}!ping").getBytes(StandardCharsets.UTF_8);
    }

    /** Where the namespace keeps its attempt retention: no record's key, since those go on with a colon. */
    public byte[] retentionKey() {
        return (namespace + "{}!retention").getBytes(StandardCharsets.UTF_8);
    }
}
