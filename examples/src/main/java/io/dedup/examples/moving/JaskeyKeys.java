package io.dedup.examples.moving;

import io.dedup.migration.ImportedId;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;

// docs:begin jaskey-keys
/** The keys of RocketMQDedupListener in Redis: {@code MSGDEDUP:application:topic[:tag]:id}. */
public final class JaskeyKeys implements OldScheme {
    private final RedisCommands<String, String> redis;
    private final String prefix;
    private final Duration processing;
    private final Duration reserve;

    /**
     * @param tag empty for none
     * @param processing its {@code dedupProcessingExpireMilliSeconds}
     * @param reserve its {@code dedupRecordReserveMinutes}
     */
    public JaskeyKeys(
            RedisCommands<String, String> redis,
            String application,
            String topic,
            String tag,
            Duration processing,
            Duration reserve) {
        this.redis = redis;
        this.prefix = "MSGDEDUP:" + application + ":" + topic + (tag.isEmpty() ? "" : ":" + tag) + ":";
        this.processing = processing;
        this.reserve = reserve;
    }

    @Override
    public Entry claim(String id) {
        if (redis.set(prefix + id, "CONSUMING", SetArgs.Builder.nx().px(processing.toMillis())) != null) {
            return Entry.NEW;
        }
        return "CONSUMED".equals(redis.get(prefix + id)) ? Entry.KNOWN : Entry.RUNNING;
    }

    @Override
    public void done(String id) {
        redis.set(prefix + id, "CONSUMED", SetArgs.Builder.px(reserve.toMillis()));
    }

    @Override
    public void failed(String id) {
        redis.del(prefix + id);
    }

    @Override
    public Stream<ImportedId> handled() {
        return ScanIterator.scan(redis, ScanArgs.Builder.matches(prefix + "*").limit(1_000)).stream()
                .filter(key -> "CONSUMED".equals(redis.get(key)))
                .map(key -> ImportedId.of(
                        key.substring(prefix.length()),
                        Instant.now().minus(reserve).plusMillis(redis.pttl(key))));
    }
}
// docs:end
