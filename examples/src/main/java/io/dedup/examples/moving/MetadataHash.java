package io.dedup.examples.moving;

import io.dedup.migration.ImportedId;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Instant;
import java.util.stream.Stream;

// docs:begin metadata-hash
/** The hash of Spring Integration's RedisMetadataStore, as a MetadataStoreSelector uses it. */
public final class MetadataHash implements OldScheme {
    private static final String MARK = "dedup"; // the selector looks at the field alone

    private final RedisCommands<String, String> redis;
    private final String key;

    /** @param key {@code MetaData}, unless the store was created with another one */
    public MetadataHash(RedisCommands<String, String> redis, String key) {
        this.redis = redis;
        this.key = key;
    }

    @Override
    public Entry claim(String id) {
        if (redis.hsetnx(key, id, MARK)) {
            return Entry.NEW;
        }
        String value = redis.hget(key, id);
        if (value == null) {
            return claim(id); // it has just been removed
        }
        return value.equals(MARK) ? Entry.OURS : Entry.KNOWN;
    }

    @Override
    public void failed(String id) {
        redis.hdel(key, id);
    }

    /** The hash has no times, so the windows begin with the import. */
    @Override
    public Stream<ImportedId> handled() {
        return ScanIterator.hscan(redis, key).stream()
                .filter(entry -> !entry.getValue().equals(MARK))
                .map(entry -> ImportedId.of(entry.getKey(), Instant.now()));
    }
}
// docs:end
