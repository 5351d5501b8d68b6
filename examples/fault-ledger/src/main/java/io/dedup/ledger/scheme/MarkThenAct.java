package io.dedup.ledger.scheme;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;

/** {@code SET NX} as a mark that stays: marks first, then acts; removes the mark if the handler throws. */
public final class MarkThenAct implements Scheme {
    private final Stores stores;
    private final RedisCommands<String, String> redis;

    public MarkThenAct(Stores stores) {
        this.stores = stores;
        this.redis = stores.redis();
    }

    @Override
    public void handle(String id, Runnable effect) {
        String key = stores.key(id);
        if (redis.set(key, "seen", SetArgs.Builder.nx().px(Stores.WINDOW)) == null) {
            return;
        }
        try {
            effect.run();
        } catch (RuntimeException e) {
            redis.del(key);
            throw e;
        }
    }
}
