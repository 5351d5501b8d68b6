package io.dedup.store.redis.internal.record;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.store.redis.internal.packed.Buckets;
import io.dedup.store.redis.internal.script.BulkStrings;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The beginning of a script's arguments: the keys of records and, in a packed namespace, where else they may be. */
final class RecordArguments {
    private static final int BYTES_AROUND = 128;
    private static final int BYTES_OF_A_BUCKET = 48;
    private static final byte[] NOTHING = {};

    private final RecordKeys keys;
    private final @Nullable Buckets buckets;

    RecordArguments(RecordKeys keys, @Nullable Buckets buckets) {
        this.keys = keys;
        this.buckets = buckets;
    }

    /** The keys of records. */
    <Q> BulkStrings records(List<Q> requests, Function<Q, DedupKey> keyOf) {
        BulkStrings arguments = new BulkStrings(BYTES_AROUND * (1 + requests.size())).add(requests.size());
        DedupScope scope = null;
        byte[] prefix = NOTHING;
        for (Q request : requests) {
            DedupKey key = keyOf.apply(request);
            if (!key.scope().equals(scope)) { // the records of a batch nearly always have one
                scope = key.scope();
                prefix = keys.prefix(scope);
            }
            arguments.addKey(prefix, key.messageId());
        }
        return arguments;
    }

    /** The same for one key as it is stored. */
    BulkStrings stored(byte[] key) {
        if (buckets == null) {
            return new BulkStrings(BYTES_AROUND * 2).add(1).addKey(NOTHING, key);
        }
        byte[] field = new byte[Buckets.FIELD_BYTES];
        byte[] bucket = buckets.place(key, field, 0);
        return new BulkStrings(BYTES_AROUND * 2)
                .add(2)
                .addKey(NOTHING, key)
                .add(bucket)
                .add(field);
    }

    /** The same and, in a packed namespace, the keys of their buckets and their fields. */
    <Q> BulkStrings recordsAndBuckets(List<Q> requests, Function<Q, DedupKey> keyOf) {
        Buckets places = buckets;
        if (places == null) {
            return records(requests, keyOf);
        }
        int size = requests.size();
        BulkStrings arguments = new BulkStrings((BYTES_AROUND + BYTES_OF_A_BUCKET) * (1 + size)).add(2L * size);
        byte[][] bucketKeys = new byte[size][];
        byte[] fields = new byte[size * Buckets.FIELD_BYTES];
        for (int i = 0; i < size; i++) {
            byte[] key = keys.key(keyOf.apply(requests.get(i)));
            arguments.addKey(NOTHING, key);
            bucketKeys[i] = places.place(key, fields, i * Buckets.FIELD_BYTES);
        }
        for (byte[] bucketKey : bucketKeys) {
            arguments.add(bucketKey);
        }
        return arguments.add(fields);
    }
}
