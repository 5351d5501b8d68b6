package io.dedup.rocketmq.internal.claim;

import io.dedup.adapter.DedupAdapter;
import io.dedup.rocketmq.internal.open.OpenMessages;
import io.dedup.rocketmq.internal.thread.LoopThreads;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Probes a failed store until it answers, so that the loop may receive again. Thread-safe. */
public final class StoreProbe {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");
    private static final Duration PAUSE = Duration.ofMillis(500);

    private final DedupAdapter engine;
    private final OpenMessages open;
    private final LoopThreads threads;

    public StoreProbe(DedupAdapter engine, OpenMessages open, LoopThreads threads) {
        this.engine = engine;
        this.open = open;
        this.threads = threads;
    }

    /** Starts probing, whenever the store has failed, until the threads end. */
    public void start() {
        threads.every(PAUSE, this::probe);
    }

    private void probe() {
        if (!open.isStoreDown()) {
            return;
        }
        try {
            engine.ping();
        } catch (RuntimeException | Error e) {
            log.debug("The deduplication store doesn't answer", e);
            return;
        }
        open.storeAnswers();
    }
}
