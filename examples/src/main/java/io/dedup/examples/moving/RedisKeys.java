package io.dedup.examples.moving;

import io.dedup.migration.ImportedId;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;

// docs:begin keys
/** A key for each message, set with {@code SET … NX PX}: a scheme by hand, and Camel's RedisStringIdempotentRepository. */
public final class RedisKeys implements OldScheme {
    private static final String MARK = "dedup"; // old consumers look at the key alone

    private final RedisCommands<String, String> redis;
    private final String prefix;
    private final Duration timeToLive;

    /** @param prefix for Camel, the processor's name and a colon */
    public RedisKeys(RedisCommands<String, String> redis, String prefix, Duration timeToLive) {
        this.redis = redis;
        this.prefix = prefix;
        this.timeToLive = timeToLive;
    }

    @Override
    public Entry claim(String id) {
        if (redis.set(prefix + id, MARK, SetArgs.Builder.nx().px(timeToLive.toMillis())) != null) {
            return Entry.NEW;
        }
        String value = redis.get(prefix + id);
        if (value == null) {
            return claim(id); // it has just ended
        }
        return value.equals(MARK) ? Entry.OURS : Entry.KNOWN;
    }

    @Override
    public void failed(String id) {
        redis.del(prefix + id);
    }

    /** The key's age is what has passed of its time to live. */
    @Override
    public Stream<ImportedId> handled() {
        return ScanIterator.scan(redis, ScanArgs.Builder.matches(prefix + "*").limit(1_000)).stream()
                .filter(this::isOld)
                .map(key -> ImportedId.of(
                        key.substring(prefix.length()),
                        Instant.now().minus(timeToLive).plusMillis(redis.pttl(key))));
    }

    private boolean isOld(String key) {
        String value = redis.get(key);
        return value != null && !value.equals(MARK); // null: a bridge has just failed and removed its key
    }
}
// docs:end
