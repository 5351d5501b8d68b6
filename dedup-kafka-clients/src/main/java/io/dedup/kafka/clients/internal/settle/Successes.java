package io.dedup.kafka.clients.internal.settle;

import io.dedup.DedupKey;
import io.dedup.DedupOutcome.Completion;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Successes that are recorded together with one call: before the next commit, when there are 50, or 10 ms after the
 * first, whichever comes first. So a crash leaves few records handled but not done. Thread-safe; only the consumer's
 * thread adds successes.
 */
public final class Successes {
    private static final int MANY = 50;
    private static final Duration LONG = Duration.ofMillis(10);
    private static final Logger log = LoggerFactory.getLogger("io.dedup.kafka.clients.DedupPoll");

    /** A handled message. */
    private record Success(Execution execution, Delivery delivery) {}

    /**
     * A recorded message of the current poll.
     *
     * @param before when the call that recorded it began, by {@link System#nanoTime}
     */
    private record Recorded(Success success, long before) {}

    private final DedupAdapter engine;
    private final Duration patience;
    private final Executor soon;
    private final Runnable record = this::record; // one for all
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<DedupKey, Recorded> recorded = new HashMap<>();
    private List<Success> waiting = new ArrayList<>();

    /** @param patience how long the store may keep the consumer waiting before successes are recorded in background */
    public Successes(DedupAdapter engine, Duration patience) {
        this.engine = engine;
        this.patience = patience;
        this.soon = CompletableFuture.delayedExecutor(LONG.toMillis(), TimeUnit.MILLISECONDS, engine.settlements());
    }

    /** Adds the success of a handler that has returned. When this returns, the record may be committed. */
    public void add(Execution execution, Delivery delivery) {
        execution.returned();
        lock.lock();
        try {
            waiting.add(new Success(execution, delivery));
            if (waiting.size() >= MANY) {
                record();
            } else if (waiting.size() == 1) {
                soon.execute(record);
            }
        } catch (Throwable e) { // for example no memory: nothing else would record the success
            execution.succeed(null, WaitBudget.of(patience));
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /** Returns when every success is recorded, or the engine goes on recording it in the background. Never throws. */
    public void record() {
        lock.lock();
        try {
            if (waiting.isEmpty()) {
                return;
            }
            List<Success> all = waiting;
            waiting = new ArrayList<>();
            record(all);
        } finally {
            lock.unlock();
        }
    }

    private void record(List<Success> all) {
        long before = System.nanoTime();
        try {
            List<Completion> completions =
                    engine.succeedAll(all.stream().map(Success::execution).toList(), WaitBudget.of(patience));
            for (int i = 0; i < completions.size(); i++) {
                DedupKey key = all.get(i).delivery().key();
                if (key != null && completions.get(i) == Completion.DONE) {
                    recorded.put(key, new Recorded(all.get(i), before));
                }
            }
        } catch (RuntimeException | Error e) { // the effects have happened: not committing would repeat them
            log.error(
                    "Cannot record {} successes in the deduplication store; these messages are handled again if"
                            + " redelivered",
                    all.size(),
                    e);
        }
    }

    /** Records from now on were polled after the recorded successes, so the store is asked about them. */
    public void newPoll() {
        lock.lock();
        try {
            recorded.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Whether this is a copy of a message that was handled since the poll. If so, reports a duplicate. */
    public boolean isCopyOfHandled(Delivery delivery) {
        DedupKey key = delivery.key();
        if (key == null || delivery.isShadow()) {
            return false;
        }
        Success first = find(key);
        if (first == null) {
            return false;
        }
        if (first.delivery().differsFrom(delivery)) {
            record(); // the store decides
            return false;
        }
        engine.ahead().follows(delivery, first.execution());
        return true;
    }

    private @Nullable Success find(DedupKey key) {
        lock.lock();
        try {
            for (Success each : waiting) {
                if (key.equals(each.delivery().key())) {
                    return each;
                }
            }
            Recorded done = recorded.get(key);
            return done == null || isWindowOver(done) ? null : done.success();
        } finally {
            lock.unlock();
        }
    }

    /** The window counts from the recording, which is later than {@link Recorded#before}. */
    private static boolean isWindowOver(Recorded done) {
        Duration window = done.success().delivery().topic().policy().window().duration();
        return window != null
                && Duration.ofNanos(System.nanoTime() - done.before()).compareTo(window) >= 0;
    }
}
