package io.dedup.examples.moving;

import io.dedup.migration.ImportedId;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Instant;
import java.util.stream.Stream;

// docs:begin camel-set
/** The set of Camel's SpringRedisIdempotentRepository. The bridge marks its entries in a second set. */
public final class CamelSet implements OldScheme {
    private static final String CLAIM = """
            if redis.call('SADD', KEYS[1], ARGV[1]) == 1 then
              redis.call('SADD', KEYS[2], ARGV[1])
              return 'NEW'
            end
            return redis.call('SISMEMBER', KEYS[2], ARGV[1]) == 1 and 'OURS' or 'KNOWN'
            """;
    private static final String FAILED =
            "redis.call('SREM', KEYS[1], ARGV[1]) return redis.call('SREM', KEYS[2], ARGV[1])";

    private final RedisCommands<String, String> redis;
    private final String[] sets;

    public CamelSet(RedisCommands<String, String> redis, String repositoryName) {
        this.redis = redis;
        this.sets = new String[] {repositoryName, repositoryName + "#dedup"};
    }

    @Override
    public Entry claim(String id) {
        return Entry.valueOf(redis.eval(CLAIM, ScriptOutputType.VALUE, sets, id));
    }

    @Override
    public void failed(String id) {
        redis.eval(FAILED, ScriptOutputType.INTEGER, sets, id);
    }

    /** The set has no times, so the windows begin with the import. */
    @Override
    public Stream<ImportedId> handled() {
        return redis.sdiff(sets).stream().map(id -> ImportedId.of(id, Instant.now()));
    }
}
// docs:end
