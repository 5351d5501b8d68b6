package io.dedup.kafka;

import io.dedup.engine.DedupEngine;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.kafka.listener.MessageListenerContainer;

/** Pauses containers while the store doesn't answer, and resumes those that it paused once it does. Thread-safe. */
final class StorePauses implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(KafkaDedup.class);
    private static final long FIRST_PROBE_MILLIS = 100;
    private static final long MAX_PROBE_MILLIS = 2_000;

    /** A pause that follows a resume so soon belongs to the same trouble: a claim may take as long to time out. */
    private static final long SAME_TROUBLE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** The longest first wait of a pause, in a store that answers probes and fails claims. */
    private static final long MAX_FIRST_PROBE_MILLIS = 10_000;

    private static final long LOG_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Timer timer;
    private final DedupEngine engine;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<MessageListenerContainer> paused = new LinkedHashSet<>();
    private final LongSupplier nanoClock;
    private boolean probing;
    private boolean resumedOnce;
    private long resumedAt;
    private long lastDelayMillis;
    private boolean loud = true;
    private long loudSince;

    StorePauses(Timer timer, DedupEngine engine) {
        this(timer, engine, System::nanoTime);
    }

    StorePauses(Timer timer, DedupEngine engine, LongSupplier nanoClock) {
        this.timer = timer;
        this.engine = engine;
        this.nanoClock = nanoClock;
    }

    void pause(MessageListenerContainer container) {
        boolean probe;
        boolean warn;
        long delayMillis;
        lock.lock();
        try {
            if (container.isPauseRequested()) {
                return; // by us, or by the user, who resumes it as well
            }
            paused.add(container);
            probe = !probing;
            probing = true;
            delayMillis = probe ? begin() : 0;
            warn = loud;
        } finally {
            lock.unlock();
        }
        try {
            log.atLevel(warn ? Level.WARN : Level.DEBUG)
                    .log("The dedup store doesn't answer: pausing {} until it does", container.getListenerId());
            container.pause();
            if (!isPaused(container)) { // the store answered before the pause
                container.resume();
            }
        } finally {
            if (probe) {
                schedule(delayMillis);
            }
        }
    }

    /**
     * How long to wait for the first probe of a pause, in milliseconds. A store that answers probes and fails claims would
     * otherwise be paused and resumed without end, ten times a second: each further pause waits twice as long, and its log
     * lines are at level DEBUG, but for some once a minute.
     */
    private long begin() {
        long now = nanoClock.getAsLong();
        boolean again = resumedOnce && now - resumedAt < SAME_TROUBLE_NANOS;
        loud = !again || now - loudSince >= LOG_AGAIN_NANOS;
        if (loud) {
            loudSince = now;
        }
        return again ? Math.min(MAX_FIRST_PROBE_MILLIS, lastDelayMillis * 2) : FIRST_PROBE_MILLIS;
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
            schedule(Math.max(delayMillis, Math.min(MAX_PROBE_MILLIS, delayMillis * 2)));
            return;
        }
        lock.lock();
        try {
            resumedOnce = true;
            resumedAt = nanoClock.getAsLong();
            lastDelayMillis = delayMillis;
        } finally {
            lock.unlock();
        }
        resumeAll();
    }

    private void resumeAll() {
        List<MessageListenerContainer> toResume;
        boolean info;
        lock.lock();
        try {
            toResume = List.copyOf(paused);
            paused.clear();
            probing = false;
            info = loud;
        } finally {
            lock.unlock();
        }
        for (MessageListenerContainer container : toResume) {
            log.atLevel(info ? Level.INFO : Level.DEBUG)
                    .log("The dedup store answers again: resuming {}", container.getListenerId());
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
