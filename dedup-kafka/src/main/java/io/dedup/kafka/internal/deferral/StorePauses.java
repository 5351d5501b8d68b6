package io.dedup.kafka.internal.deferral;

import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.Timer;
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
 * Pauses containers while the store doesn't answer, and resumes those that it paused once it does. Thread-safe.
 *
 * <p>While there is one, a repeated task asks the store and resumes consumers. Whatever a run of it throws, the next one goes
 * on: nothing else would ever resume the containers.
 */
public final class StorePauses implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    private static final Duration LOOK = Duration.ofMillis(20);

    private final Timer timer;
    private final DedupAdapter engine;
    private final ReentrantLock lock = new ReentrantLock();
    /** What is paused, or isn't resumed entirely. Read and written under the lock, and so is everything below. */
    private final Map<MessageListenerContainer, PausedContainer> containers = new LinkedHashMap<>();

    private final OutageBackOff backOff;
    private @Nullable Future<?> looks;
    private long probedAt;
    private volatile boolean closed;

    public StorePauses(Timer timer, DedupAdapter engine) {
        this(timer, engine, System::nanoTime);
    }

    /** @param clock in nanoseconds, of the back-off between outages */
    public StorePauses(Timer timer, DedupAdapter engine, LongSupplier clock) {
        this.timer = timer;
        this.engine = engine;
        this.backOff = new OutageBackOff(clock);
    }

    /** Whether this is closed: then nothing is paused any more, since nobody would end the pause. */
    public boolean isClosed() {
        return closed;
    }

    /** Pauses a container until the store answers, unless the user has paused it. */
    public void pause(MessageListenerContainer container) {
        PausedContainer paused = toPause(container);
        if (paused != null) {
            log.atLevel(isLoud() ? Level.WARN : Level.DEBUG)
                    .log("The dedup store doesn't answer: pausing {} until it does", container.getListenerId());
            paused.pause();
        }
    }

    /** Null when the container is left as it is. */
    private @Nullable PausedContainer toPause(MessageListenerContainer container) {
        lock.lock();
        try {
            PausedContainer paused = containers.get(container);
            if (paused == null ? container.isPauseRequested() : paused.isWanted()) {
                return null; // by the user, who resumes it as well, or for another consumer that met the same outage
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

    /** Before anything is paused; false when there is no one who would resume it, and the deferral has to go without a pause. */
    private boolean isLooking() {
        if (closed || looks != null) {
            return !closed;
        }
        try {
            looks = timer.every(LOOK, this::look);
        } catch (RejectedExecutionException | Error e) {
            log.debug("Not paused", e);
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
            log.debug("The dedup store still doesn't answer", e);
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
                                "The dedup store answers again: resuming {}",
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
        } catch (Throwable e) { // the others are resumed nevertheless, and this one is tried again
            log.error("{} can't be resumed yet", paused.container().getListenerId(), e);
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

    /** Resumes what is paused now, each consumer as soon as that is safe; the timer needn't run any more. */
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
            unwantAll(); // a consumer may have been about to pause when this was closed
            resumeUnwanted();
        }
    }
}
