package io.dedup.store.redis.internal.packed;

import io.lettuce.core.cluster.SlotHash;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * Where a packed record is: which bucket, and which field of it. Thread-safe.
 *
 * <p>A bucket is a hash with the key {@code namespace{tag}#number}. The tag makes a cluster put it into the slot of the
 * record's own key, so that one script can be given both. The number and the field are 128 bits of a digest of the
 * record's key. A place depends on nothing that a server keeps, so that no server can lose it. Do not change it.
 */
public final class Buckets {
    /** Bytes of a field: those of the digest that don't choose the bucket. */
    public static final int FIELD_BYTES = 12;

    private final byte[] prefix;
    private final int perSlot;

    public Buckets(String namespace, PackedSettings settings) {
        this.prefix = (namespace + "{").getBytes(StandardCharsets.US_ASCII);
        this.perSlot = settings.bucketsPerSlot();
    }

    /**
     * Finds a record's place.
     *
     * @param recordKey the whole key that the record has while it is not packed
     * @param fields receives the field
     * @param at where in it
     * @return the bucket's key
     */
    public byte[] place(byte[] recordKey, byte[] fields, int at) {
        byte[] digest = digest(recordKey);
        System.arraycopy(digest, 0, fields, at, FIELD_BYTES);
        long number = Integer.toUnsignedLong(ByteBuffer.wrap(digest).getInt(FIELD_BYTES)) % perSlot;
        return bucket(SlotTags.of(SlotHash.getSlot(recordKey)), number);
    }

    private byte[] bucket(byte[] tag, long number) {
        byte[] digits = Long.toString(number).getBytes(StandardCharsets.US_ASCII);
        byte[] key = Arrays.copyOf(prefix, prefix.length + tag.length + 2 + digits.length);
        System.arraycopy(tag, 0, key, prefix.length, tag.length);
        int at = prefix.length + tag.length;
        key[at] = '}';
        key[at + 1] = '#';
        System.arraycopy(digits, 0, key, at + 2, digits.length);
        return key;
    }

    private static byte[] digest(byte[] text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java has SHA-256", e);
        }
    }
}
