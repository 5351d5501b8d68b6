package io.dedup.ledger.scheme;

import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RBucket;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/** Redisson's lock with its watchdog; under it: looks for the mark, acts, marks. */
public final class RedissonLock implements Scheme {
    private static final int THREADS = 2;
    private static final int CONNECTIONS = 2;

    private final Stores stores;
    private final RedissonClient redisson;

    public RedissonLock(Stores stores) {
        this.stores = stores;
        this.redisson = client(stores);
    }

    static RedissonClient client(Stores stores) {
        Config config = new Config()
                .setThreads(THREADS)
                .setNettyThreads(THREADS)
                .setCodec(StringCodec.INSTANCE)
                .setLockWatchdogTimeout(Stores.LEASE.toMillis());
        config.useSingleServer()
                .setAddress(stores.redisUri())
                .setTimeout((int) Stores.REDIS_TIMEOUT.toMillis())
                .setConnectionPoolSize(CONNECTIONS)
                .setConnectionMinimumIdleSize(1)
                .setSubscriptionConnectionPoolSize(CONNECTIONS)
                .setSubscriptionConnectionMinimumIdleSize(1);
        return Redisson.create(config);
    }

    @Override
    public void handle(String id, Runnable effect) throws InterruptedException {
        RLock lock = redisson.getLock(stores.key(id) + ":lock");
        if (!lock.tryLock(1, TimeUnit.SECONDS)) {
            throw new NotNowException("locked");
        }
        try {
            RBucket<String> mark = redisson.getBucket(stores.key(id) + ":done");
            if (!mark.isExists()) {
                effect.run();
                mark.set("done", Stores.WINDOW);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        redisson.shutdown();
    }
}
