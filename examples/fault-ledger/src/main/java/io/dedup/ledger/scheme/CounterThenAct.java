package io.dedup.ledger.scheme;

import io.lettuce.core.api.sync.RedisCommands;

/** {@code INCR}: the consumer that gets 1 acts and deletes the counter; others acknowledge their messages as duplicates. */
public final class CounterThenAct implements Scheme {
    private final Stores stores;
    private final RedisCommands<String, String> redis;

    public CounterThenAct(Stores stores) {
        this.stores = stores;
        this.redis = stores.redis();
    }

    @Override
    public void handle(String id, Runnable effect) {
        String key = stores.key(id);
        if (redis.incr(key) > 1) {
            return;
        }
        try {
            effect.run();
        } finally {
            redis.del(key);
        }
    }
}
