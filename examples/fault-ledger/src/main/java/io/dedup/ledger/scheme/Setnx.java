package io.dedup.ledger.scheme;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.UUID;

/**
 * {@code SET NX PX} with a timeout, deleted afterwards. A consumer that doesn't get the key acknowledges its message as
 * a duplicate.
 */
public final class Setnx implements Scheme {
    static final String DELETE_OWN =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";

    private final Stores stores;
    private final RedisCommands<String, String> redis;
    private final boolean ownerChecked;

    /** @param ownerChecked whether it deletes the key only while it is its own */
    public Setnx(Stores stores, boolean ownerChecked) {
        this.stores = stores;
        this.redis = stores.redis();
        this.ownerChecked = ownerChecked;
    }

    @Override
    public void handle(String id, Runnable effect) {
        String key = stores.key(id);
        String owner = UUID.randomUUID().toString();
        if (redis.set(key, owner, SetArgs.Builder.nx().px(Stores.LEASE)) == null) {
            return;
        }
        try {
            effect.run();
        } finally {
            if (ownerChecked) {
                redis.eval(DELETE_OWN, ScriptOutputType.INTEGER, new String[] {key}, owner);
            } else {
                redis.del(key);
            }
        }
    }
}
