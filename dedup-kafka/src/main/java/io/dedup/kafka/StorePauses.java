package io.dedup.kafka;

import io.dedup.engine.DedupEngine;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.MessageListenerContainer;

/** Pauses containers while the store doesn't answer, and resumes those that it paused once it does. Thread-safe. */
final class StorePauses implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(KafkaDedup.class);
    private static final long FIRST_PROBE_MILLIS = 100;
    private static final long MAX_PROBE_MILLIS = 2_000;

    private final Timer timer;
    private final DedupEngine engine;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<MessageListenerContainer> paused = new LinkedHashSet<>();
    private boolean probing;

    StorePauses(Timer timer, DedupEngine engine) {
        this.timer = timer;
        this.engine = engine;
    }

    void pause(MessageListenerContainer container) {
        boolean probe;
        lock.lock();
        try {
            if (container.isPauseRequested()) {
                return; // by us, or by the user, who resumes it as well
            }
            paused.add(container);
            probe = !probing;
            probing = true;
        } finally {
            lock.unlock();
        }
        try {
            log.warn("The dedup store doesn't answer: pausing {} until it does", container.getListenerId());
            container.pause();
            if (!isPaused(container)) { // the store answered before the pause
                container.resume();
            }
        } finally {
            if (probe) {
                schedule(FIRST_PROBE_MILLIS);
            }
        }
    }

    private boolean isPaused(MessageListenerContainer container) {
        lock.lock();
        try {
            return paused.contains(container);
        } finally {
            lock.unlock();
        }
    }

    private void schedule(long delayMillis) {
        if (!timer.after(Duration.ofMillis(delayMillis), () -> probe(delayMillis))) {
            resumeAll();
        }
    }

    private void probe(long delayMillis) {
        try {
            engine.ping();
        } catch (Throwable e) { // whatever it is: without another probe, nothing would ever resume the containers
            log.debug("The dedup store still doesn't answer", e);
            schedule(Math.min(MAX_PROBE_MILLIS, delayMillis * 2));
            return;
        }
        resumeAll();
    }

    private void resumeAll() {
        List<MessageListenerContainer> toResume;
        lock.lock();
        try {
            toResume = List.copyOf(paused);
            paused.clear();
            probing = false;
        } finally {
            lock.unlock();
        }
        for (MessageListenerContainer container : toResume) {
            log.info("The dedup store answers again: resuming {}", container.getListenerId());
            try {
                container.resume();
            } catch (RuntimeException e) {
                log.error("{} can't be resumed", container.getListenerId(), e);
            }
        }
    }

    /** Resumes what is paused now. */
    @Override
    public void close() {
        resumeAll();
    }
}
