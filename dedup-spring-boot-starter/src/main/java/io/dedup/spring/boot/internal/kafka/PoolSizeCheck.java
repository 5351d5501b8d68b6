package io.dedup.spring.boot.internal.kafka;

import io.dedup.policy.DedupMode;
import io.dedup.spring.boot.internal.check.RiskCheck;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import io.dedup.spring.boot.internal.store.DedupStores;
import java.util.List;
import java.util.OptionalInt;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;

/**
 * Compares the connection pool with the consumer threads whose records are in the table. With too few connections claims,
 * completions and lease renewals wait for each other. Thread-safe.
 */
public final class PoolSizeCheck implements RiskCheck {
    /** A claim or the handler's transaction, and what it takes beside that. */
    private static final int PER_THREAD = 2;
    /** For the heartbeat and the purge. */
    private static final int SHARED = 2;

    private final KafkaListeners listeners;
    private final DedupStores stores;

    public PoolSizeCheck(KafkaListeners listeners, DedupStores stores) {
        this.listeners = listeners;
        this.stores = stores;
    }

    @Override
    public List<Warning> warnings(List<DeduplicatedListener> served) {
        OptionalInt connections = stores.poolSize();
        if (connections.isEmpty()) {
            return List.of();
        }
        int threads = listeners.decorated().stream()
                .filter(each -> usesTable(each.served()))
                .mapToInt(each -> each.container() instanceof ConcurrentMessageListenerContainer<?, ?> container
                        ? container.getConcurrency()
                        : 1)
                .sum();
        int needed = threads * PER_THREAD + SHARED;
        if (threads == 0 || connections.getAsInt() >= needed) {
            return List.of();
        }
        return List.of(new Warning(
                "The connection pool has at most " + connections.getAsInt() + " connections, but " + threads
                        + " consumer " + (threads == 1 ? "thread needs" : "threads need") + " at least " + needed
                        + ": with fewer, claims and lease renewals wait for one another, and fail after the pool's timeout",
                "Set spring.datasource.hikari.maximum-pool-size (or your pool's setting) to at least " + needed
                        + ", or lower the listeners' concurrency."));
    }

    private boolean usesTable(DeduplicatedListener served) {
        return served.listener().byTopic().values().stream()
                .map(plan -> plan.policy().mode())
                .anyMatch(mode -> mode != DedupMode.LEASED || stores.isClaimedInTable());
    }
}
