package io.dedup.ledger.scheme;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;

/** A lock, a read of the cache, and a unique row in the business transaction; the cache is updated afterwards. */
public final class LockCacheAndRow implements Scheme {
    private final Stores stores;
    private final RedisCommands<String, String> redis;
    private final UniqueRow row;

    public LockCacheAndRow(Stores stores, JdbcTemplate jdbc) {
        this.stores = stores;
        this.redis = stores.redis();
        this.row = new UniqueRow(stores, jdbc);
    }

    @Override
    public void handle(String id, Runnable effect) {
        String lock = stores.key(id) + ":lock";
        String cached = stores.key(id) + ":done";
        String owner = UUID.randomUUID().toString();
        if (redis.set(lock, owner, SetArgs.Builder.nx().px(Stores.LEASE)) == null) {
            throw new NotNowException("locked");
        }
        try {
            if (redis.get(cached) == null) {
                row.handle(id, effect);
                redis.set(cached, "done", SetArgs.Builder.px(Stores.WINDOW));
            }
        } finally {
            redis.eval(Setnx.DELETE_OWN, ScriptOutputType.INTEGER, new String[] {lock}, owner);
        }
    }
}
