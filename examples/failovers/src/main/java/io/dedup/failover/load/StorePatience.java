package io.dedup.failover.load;

import io.dedup.DedupStoreException;
import io.dedup.store.DedupStore;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tries to open a store until that succeeds, as an orchestrator would by restarting the process. */
public final class StorePatience {
    private static final Logger log = LoggerFactory.getLogger(StorePatience.class);
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private StorePatience() {}

    /** @throws DedupStoreException when it couldn't be opened for a minute */
    public static <S extends DedupStore> S open(Supplier<S> store) {
        long begin = System.nanoTime();
        while (true) {
            try {
                return store.get();
            } catch (DedupStoreException e) {
                if (System.nanoTime() - begin > LIMIT.toNanos()) {
                    throw e;
                }
                log.warn("cannot open the store yet: {}", e.getMessage());
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
    }
}
