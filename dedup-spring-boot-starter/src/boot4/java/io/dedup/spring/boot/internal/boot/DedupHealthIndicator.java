package io.dedup.spring.boot.internal.boot;

import io.dedup.DedupStoreException;
import io.dedup.spring.boot.internal.store.DedupStores;
import io.dedup.store.DedupStore;
import io.dedup.text.Printable;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Down while a store that listeners need doesn't answer. For readiness, not for liveness: a restart brings no store back.
 * Thread-safe.
 */
public final class DedupHealthIndicator extends AbstractHealthIndicator {
    private final DedupStores stores;

    public DedupHealthIndicator(DedupStores stores) {
        super("a dedup store doesn't answer");
        this.stores = stores;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        builder.up();
        ask(stores.storeOrNull(), builder);
        DedupStore table = stores.tableOrNull();
        if (table != stores.storeOrNull()) {
            ask(table, builder);
        }
    }

    private static void ask(@Nullable DedupStore store, Health.Builder builder) {
        if (store == null) {
            return;
        }
        try {
            store.ping();
            builder.withDetail(store.name(), "answers");
        } catch (DedupStoreException e) {
            builder.down().withDetail(store.name(), Printable.ofException(e));
        }
    }
}
