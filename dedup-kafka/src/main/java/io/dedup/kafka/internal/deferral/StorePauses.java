package io.dedup.kafka.internal.deferral;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.poll.PollTimer;
import io.dedup.kafka.internal.KafkaLog;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * Pauses containers while the store doesn't answer, and resumes them once it does. Thread-safe.
 *
 * <p>While a container is paused, a repeated task probes the store and resumes consumers. It continues whatever a run
 * throws, because nothing else would resume the containers.
 */
public final class StorePauses implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    private static final Duration LOOK = Duration.ofMillis(20);

    private final PollTimer timer;
    private final DedupAdapter engine;
    private final ReentrantLock lock = new ReentrantLock();
    /**
     * The containers that are paused, or not resumed entirely. Read and written under the lock, like all fields below.
     */
    private final Map<MessageListenerContainer, PausedContainer> containers = new LinkedHashMap<>();

    private final OutageBackOff backOff;
    private @Nullable Future<?> looks;
    private long probedAt;
    private volatile boolean closed;

    public StorePauses(PollTimer timer, DedupAdapter engine) {
        this(timer, engine, System::nanoTime);
    }

    /** @param clock for the back-off between outages, in nanoseconds */
    public StorePauses(PollTimer timer, DedupAdapter engine, LongSupplier clock) {
        this.timer = timer;
        this.engine = engine;
        this.backOff = new OutageBackOff(clock);
    }

    /** Whether this is closed. Then nothing is paused any more, because nothing would end the pause. */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Pauses a container until the store answers, unless the user has paused it. If somebody has resumed it in the
     * outage, it is paused again: otherwise it would poll the same records without end.
     */
    public void pause(MessageListenerContainer container) {
        PausedContainer paused = toPause(container);
        if (paused != null) {
            log.atLevel(isLoud() ? Level.WARN : Level.DEBUG)
                    .log(
                            "The deduplication store doesn't answer; pausing listener container {} until it does"
                                    + " (on-store-failure: pause)",
                            container.getListenerId());
            paused.pause();
        }
    }

    /** Returns null if the container is left as it is. */
    private @Nullable PausedContainer toPause(MessageListenerContainer container) {
        lock.lock();
        try {
            PausedContainer paused = containers.get(container);
            if (container.isPauseRequested() && (paused == null || paused.isWanted())) {
                return null; // paused by the user, who will resume it, or for another consumer in the same outage
            }
            if (!isLooking()) {
                return null;
            }
            if (paused == null) {
                paused = new PausedContainer(container);
                containers.put(container, paused);
            }
            paused.want();
            return paused;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Called before anything is paused. Returns false if nothing would resume it, so that the record must be deferred
     * without a pause.
     */
    private boolean isLooking() {
        if (closed || looks != null) {
            return !closed;
        }
        try {
            looks = timer.every(LOOK, this::look);
        } catch (RejectedExecutionException | Error e) {
            log.debug("Cannot pause: no background task is available to resume", e);
            return false;
        }
        backOff.begin();
        probedAt = System.nanoTime();
        return true;
    }

    private boolean isLoud() {
        lock.lock();
        try {
            return backOff.isLoud();
        } finally {
            lock.unlock();
        }
    }

    private void look() {
        resumeUnwanted();
        if (isProbeDue() && answers()) {
            unwantAll();
            resumeUnwanted();
        }
        endIfIdle();
    }

    private boolean isProbeDue() {
        lock.lock();
        try {
            return System.nanoTime() - probedAt >= backOff.delay()
                    && containers.values().stream().anyMatch(PausedContainer::isWanted);
        } finally {
            lock.unlock();
        }
    }

    private boolean answers() {
        boolean answers = false;
        try {
            engine.ping();
            answers = true;
        } catch (Throwable e) {
            log.debug("The deduplication store still doesn't answer", e);
        } finally {
            lock.lock();
            try {
                probedAt = System.nanoTime();
                if (answers) {
                    backOff.answered();
                } else {
                    backOff.failed();
                }
            } finally {
                lock.unlock();
            }
        }
        return answers;
    }

    private void unwantAll() {
        for (PausedContainer paused : copy()) {
            if (paused.isWanted()) {
                paused.unwant();
                log.atLevel(isLoud() ? Level.INFO : Level.DEBUG)
                        .log(
                                "The deduplication store answers again; resuming listener container {}",
                                paused.container().getListenerId());
            }
        }
    }

    private void resumeUnwanted() {
        for (PausedContainer paused : copy()) {
            if (!paused.isWanted() && isResumed(paused)) {
                forgetUnlessWanted(paused);
            }
        }
    }

    private static boolean isResumed(PausedContainer paused) {
        try {
            return paused.resume();
        } catch (Throwable e) { // the others are resumed nevertheless, and this one is retried
            log.error(
                    "Cannot resume listener container {} yet; retrying",
                    paused.container().getListenerId(),
                    e);
            return false;
        }
    }

    private List<PausedContainer> copy() {
        lock.lock();
        try {
            return List.copyOf(containers.values());
        } finally {
            lock.unlock();
        }
    }

    private void forgetUnlessWanted(PausedContainer paused) {
        lock.lock();
        try {
            if (!paused.isWanted()) {
                containers.remove(paused.container());
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean endIfIdle() {
        lock.lock();
        try {
            if (containers.isEmpty() && looks != null) {
                looks.cancel(false);
                looks = null;
            }
            return containers.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Resumes what is paused now, each consumer as soon as that is safe. Doesn't need the timer any more. */
    @Override
    public void close() {
        closed = true;
        unwantAll();
        resumeUnwanted();
        if (!endIfIdle()) {
            Thread rest = new Thread(this::resumeRest, "dedup-kafka-resume");
            rest.setDaemon(true);
            rest.start();
        }
    }

    private void resumeRest() {
        while (!endIfIdle()) {
            LockSupport.parkNanos(LOOK.toNanos());
            unwantAll(); // a consumer may have been about to pause during the close
            resumeUnwanted();
        }
    }
}
