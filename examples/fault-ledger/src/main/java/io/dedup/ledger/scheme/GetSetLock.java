package io.dedup.ledger.scheme;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * {@code SETNX} with the lock's end by the host's clock as its value; waits for it, and takes an old one over by {@code
 * GETSET}. Under the lock: looks for the mark, acts, marks.
 */
public final class GetSetLock implements Scheme {
    private static final Duration WAIT = Stores.LEASE.plusSeconds(1);
    private static final Duration POLL = Duration.ofMillis(50);

    private final Stores stores;
    private final RedisCommands<String, String> redis;

    public GetSetLock(Stores stores) {
        this.stores = stores;
        this.redis = stores.redis();
    }

    @Override
    public void handle(String id, Runnable effect) {
        String lock = stores.key(id) + ":lock";
        String mark = stores.key(id) + ":done";
        String end = acquire(lock);
        try {
            if (redis.get(mark) == null) {
                effect.run();
                redis.set(mark, "done", SetArgs.Builder.px(Stores.WINDOW));
            }
        } finally {
            if (stores.now() < Long.parseLong(end)) {
                redis.del(lock);
            }
        }
    }

    private String acquire(String lock) {
        long until = System.nanoTime() + WAIT.toNanos();
        while (System.nanoTime() - until < 0) {
            String mine = Long.toString(stores.now() + Stores.LEASE.toMillis());
            if (redis.set(lock, mine, SetArgs.Builder.nx()) != null) {
                return mine;
            }
            String found = redis.get(lock);
            if (found != null && Long.parseLong(found) < stores.now()) {
                String before = redis.setGet(lock, mine);
                if (found.equals(before)) {
                    return mine;
                }
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL.toMillis()));
        }
        throw new NotNowException("locked");
    }
}
