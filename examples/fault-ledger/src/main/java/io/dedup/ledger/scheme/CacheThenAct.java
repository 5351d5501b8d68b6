package io.dedup.ledger.scheme;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;

/** Looks into a cache; if the message isn't there, acts, and puts it there. */
public final class CacheThenAct implements Scheme {
    private final Stores stores;
    private final RedisCommands<String, String> redis;

    public CacheThenAct(Stores stores) {
        this.stores = stores;
        this.redis = stores.redis();
    }

    @Override
    public void handle(String id, Runnable effect) {
        String key = stores.key(id);
        if (redis.get(key) != null) {
            return;
        }
        effect.run();
        redis.set(key, "done", SetArgs.Builder.px(Stores.WINDOW));
    }
}
