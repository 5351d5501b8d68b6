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
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Successes that are recorded together with one call: before the next commit, when there are 50, or 10 ms after the
 * first, whichever comes first. So a crash leaves few records handled but not done. The store isn't called under the
 * lock: while it records some, the consumer's thread adds others. Thread-safe; only that thread adds successes.
 */
public final class Successes {
    private static final int MANY = 50;
    private static final Duration LONG = Duration.ofMillis(10);
    private static final Logger log = LoggerFactory.getLogger("io.dedup.kafka.clients.DedupPoll");

    /**
     * A recorded message of the current poll.
     *
     * @param before when the call that recorded it began, by {@link System#nanoTime}
     */
    private record Recorded(Execution success, long before) {}

    private final DedupAdapter engine;
    private final Duration patience;
    private final Executor soon;
    private final Runnable record = this::record; // one for all
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notSending = lock.newCondition();
    private final Map<DedupKey, Recorded> recorded = new HashMap<>();
    private List<Execution> waiting = new ArrayList<>();
    /** What the call under way records; empty if there is none. */
    private List<Execution> sent = List.of();

    /** @param patience how long the store may keep the consumer waiting before successes are recorded in background */
    public Successes(DedupAdapter engine, Duration patience) {
        this.engine = engine;
        this.patience = patience;
        this.soon = CompletableFuture.delayedExecutor(LONG.toMillis(), TimeUnit.MILLISECONDS, engine.settlements());
    }

    /** Adds the success of a handler that has returned. When this returns, the record may be committed. */
    public void add(Execution execution) {
        execution.returned();
        int size;
        try {
            size = enqueue(execution);
        } catch (Throwable e) { // for example no memory: nothing else would record the success
            execution.succeed(null, WaitBudget.of(patience));
            throw e;
        }
        if (size >= MANY) {
            record();
        } else if (size == 1) {
            recordSoon();
        }
    }

    private int enqueue(Execution success) {
        lock.lock();
        try {
            waiting.add(success);
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    private void recordSoon() {
        try {
            soon.execute(record);
        } catch (RuntimeException | Error e) { // closed, or no thread is available
            log.debug("No background thread available; the consumer's thread records the successes", e);
            record();
        }
    }

    /** Returns when every success is recorded, or the engine goes on recording it in the background. Never throws. */
    public void record() {
        List<Execution> all = take();
        if (all.isEmpty()) {
            return;
        }
        List<Completion> completions = List.of();
        long before = System.nanoTime();
        try {
            completions = engine.succeedAll(all, WaitBudget.of(patience));
        } catch (RuntimeException | Error e) { // the effects have happened: not committing would repeat them
            log.error(
                    "Cannot record {} successes in the deduplication store; these messages are handled again if"
                            + " redelivered",
                    all.size(),
                    e);
        } finally {
            settled(all, completions, before);
        }
    }

    /** Takes what waits, after the call that is under way. */
    private List<Execution> take() {
        lock.lock();
        try {
            while (!sent.isEmpty()) {
                notSending.awaitUninterruptibly();
            }
            List<Execution> next = new ArrayList<>(); // before the state changes: others wait for whoever records
            sent = waiting;
            waiting = next;
            return sent;
        } finally {
            lock.unlock();
        }
    }

    private void settled(List<Execution> all, List<Completion> completions, long before) {
        lock.lock();
        try {
            sent = List.of();
            notSending.signalAll(); // first: a failure below must not leave the consumer waiting
            for (int i = 0; i < completions.size(); i++) {
                DedupKey key = all.get(i).delivery().key();
                if (key != null && completions.get(i) == Completion.DONE) {
                    recorded.put(key, new Recorded(all.get(i), before));
                }
            }
        } finally {
            lock.unlock();
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
        Execution first = find(key);
        if (first == null) {
            return false;
        }
        if (first.delivery().differsFrom(delivery)) {
            record(); // the store decides
            return false;
        }
        engine.ahead().follows(delivery, first);
        return true;
    }

    private @Nullable Execution find(DedupKey key) {
        lock.lock();
        try {
            Execution first = find(key, waiting);
            if (first == null) {
                first = find(key, sent);
            }
            Recorded done = first == null ? recorded.get(key) : null;
            return done == null || isWindowOver(done) ? first : done.success();
        } finally {
            lock.unlock();
        }
    }

    private static @Nullable Execution find(DedupKey key, List<Execution> successes) {
        for (Execution each : successes) {
            if (key.equals(each.delivery().key())) {
                return each;
            }
        }
        return null;
    }

    /** The window counts from the recording, which is later than {@link Recorded#before}. */
    private static boolean isWindowOver(Recorded done) {
        Duration window = done.success().delivery().topic().policy().window().duration();
        return window != null
                && Duration.ofNanos(System.nanoTime() - done.before()).compareTo(window) >= 0;
    }
}
