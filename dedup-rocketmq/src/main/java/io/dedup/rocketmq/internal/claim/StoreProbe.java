package io.dedup.rocketmq.internal.claim;

import io.dedup.adapter.DedupAdapter;
import io.dedup.rocketmq.internal.open.OpenMessages;
import io.dedup.rocketmq.internal.thread.LoopThreads;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Probes a failed store until it answers, so that the loop may receive again. Thread-safe. */
final class StoreProbe {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");
    private static final Duration PAUSE = Duration.ofMillis(500);

    private final DedupAdapter engine;
    private final OpenMessages open;
    private final LoopThreads threads;
    private final AtomicBoolean probing = new AtomicBoolean();

    StoreProbe(DedupAdapter engine, OpenMessages open, LoopThreads threads) {
        this.engine = engine;
        this.open = open;
        this.threads = threads;
    }

    /** Starts probing, unless it has started already. */
    void start() {
        if (probing.compareAndSet(false, true)) {
            threads.later(this::probe, PAUSE);
        }
    }

    private void probe() {
        try {
            engine.ping();
        } catch (RuntimeException | Error e) {
            log.debug("The deduplication store doesn't answer", e);
            threads.later(this::probe, PAUSE);
            return;
        }
        probing.set(false);
        open.storeAnswers();
    }
}
