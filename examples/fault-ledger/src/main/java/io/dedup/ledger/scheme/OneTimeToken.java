package io.dedup.ledger.scheme;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;

/** The producer leaves a token with each message; a script checks and deletes it, and the consumer that finds it acts. */
public final class OneTimeToken implements Scheme {
    private static final String TAKE =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";

    private final String row;
    private final RedisCommands<String, String> redis;

    public OneTimeToken(Stores stores) {
        this.row = stores.row();
        this.redis = stores.redis();
    }

    /** Where the producer leaves it; its value is the ID. */
    public static String key(String row, String id) {
        return row + ":" + id;
    }

    @Override
    public void handle(String id, Runnable effect) {
        Long taken = redis.eval(TAKE, ScriptOutputType.INTEGER, new String[] {key(row, id)}, id);
        if (taken != null && taken == 1) {
            effect.run();
        }
    }
}
