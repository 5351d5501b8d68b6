package io.dedup.store.redis.internal.record;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The format of a record's key: {@code namespace{}:<length of scope>:<scope>:<ID>}.
 *
 * <p>A cluster hashes the text between the first opening brace and the next closing one, unless it is empty. With
 * {@code {}} first, it hashes the whole key, whatever braces the scope and the ID contain. A namespace contains no
 * braces. The length of the scope distinguishes {@code ("ab", "c")} from {@code ("a", "bc")}; the ID is the rest.
 */
public final class RecordKeys {
    /** More scopes than a process listens to; further scopes are only slower. */
    private static final int CACHED_SCOPES = 1_000;

    private static final Pattern BUCKET = Pattern.compile("\\{[0-9a-zA-Z]{1,3}}#\\d{1,9}");
    private static final Pattern LENGTH = Pattern.compile("\\d{1,3}");

    private final String namespace;
    private final ConcurrentMap<DedupScope, byte[]> prefixes = new ConcurrentHashMap<>();

    public RecordKeys(String namespace) {
        this.namespace = namespace;
    }

    /** The bytes before the ID. Do not change them. */
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

    /**
     * Splits a stored key.
     *
     * @return null if it is not the key of a record
     */
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

    /** The prefix of the keys of all records, and of no other key. */
    public byte[] allRecords() {
        return (namespace + "{}:").getBytes(StandardCharsets.UTF_8);
    }

    /** Whether a key of this namespace is a record's. */
    public boolean isRecord(byte[] key) {
        return startsWith(key, allRecords());
    }

    /** Whether a key is a bucket's: between its braces is the text that determines its slot. */
    public boolean isBucket(byte[] key) {
        return startsWith(key, everything())
                && BUCKET.matcher(new String(key, StandardCharsets.ISO_8859_1).substring(namespace.length()))
                        .matches();
    }

    private static boolean startsWith(byte[] key, byte[] prefix) {
        return key.length >= prefix.length && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }

    /** The prefix of the keys that a ping uses; they never exist. */
    public byte[] pingKey() {
        return (namespace + "{}!ping").getBytes(StandardCharsets.UTF_8);
    }

    /** The key of the settings of a packed namespace. */
    public byte[] packedKey() {
        return (namespace + "{}!packed").getBytes(StandardCharsets.UTF_8);
    }

    /** The prefix of the keys of all records, all buckets, and what the namespace itself keeps. */
    public byte[] everything() {
        return (namespace + "{").getBytes(StandardCharsets.UTF_8);
    }

    /** The key of the namespace's attempt retention. It differs from every record's key, where a colon follows. */
    public byte[] retentionKey() {
        return (namespace + "{}!retention").getBytes(StandardCharsets.UTF_8);
    }
}
