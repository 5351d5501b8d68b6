package io.dedup.kafka.internal.claimahead;

import io.dedup.DedupKey;
import io.dedup.DedupOutcome.Completion;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.PollBudget;
import io.dedup.kafka.internal.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The successes of one consumer's handlers that aren't recorded yet. Many are recorded with one call, while the next
 * handlers run, and all of them before an offset beyond them is committed.
 *
 * <p>If the process crashes, the messages in here are handled again, so nothing stays here for long. Thread-safe; only
 * the consumer's thread adds successes and waits.
 */
final class QueuedCompletions {
    static final int MANY = 50;
    static final Duration LONG = Duration.ofMillis(10);
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    /** A success that isn't recorded yet. */
    record Queued(Execution execution, Delivery delivery) {}

    /** A recorded success, and the local time before it was recorded. */
    private record Recorded(Queued success, long before) {}

    private final DedupAdapter engine;
    private final Executor background;
    private final Timer timer;
    private final PollBudget budget;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notRecording = lock.newCondition();
    private final Map<DedupKey, Queued> open = new HashMap<>();
    /** Successes of this poll only: copies that were polled together needn't be asked about. */
    private final Map<DedupKey, Recorded> done = new HashMap<>();

    private final Runnable recordQueued = this::recordQueued;
    private final Runnable timeIsUp = this::timeIsUp;
    private List<Queued> queue = new ArrayList<>();
    private boolean recording;
    private boolean timed;

    /** @param budget how long the store may keep the consumer waiting, in addition to the waits at the records' turns */
    QueuedCompletions(DedupAdapter engine, Executor background, Timer timer, PollBudget budget) {
        this.engine = engine;
        this.background = background;
        this.timer = timer;
        this.budget = budget;
    }

    /** Adds a success. */
    void add(Execution execution, Delivery delivery) {
        execution.returned();
        boolean first;
        boolean many;
        lock.lock();
        try {
            enqueue(new Queued(execution, delivery));
            first = !recording && queue.size() == 1;
            many = !recording && queue.size() == MANY;
        } catch (Throwable e) { // out of memory: the container stops, and nothing else would record the success
            execution.succeed(null, budget.current());
            throw e;
        } finally {
            lock.unlock();
        }
        if (many) {
            recordInBackground();
        } else if (first) {
            recordSoon();
        }
    }

    private void enqueue(Queued queued) {
        DedupKey key = queued.delivery().key();
        queue.add(queued);
        try {
            if (key != null) {
                open.put(key, queued);
            }
        } catch (Throwable e) {
            queue.remove(queue.size() - 1);
            throw e;
        }
    }

    /** The success of this key's message since {@link #newPoll}, unless its window may be over already. */
    @Nullable
    Queued find(DedupKey key) {
        lock.lock();
        try {
            Queued waiting = open.get(key);
            Recorded recorded = waiting == null ? done.get(key) : null;
            return recorded == null || isOver(recorded) ? waiting : recorded.success();
        } finally {
            lock.unlock();
        }
    }

    /** The window counts from the recording, which is later than {@link Recorded#before}. */
    private static boolean isOver(Recorded recorded) {
        Duration window =
                recorded.success().delivery().topic().policy().window().duration();
        return window != null
                && Duration.ofNanos(System.nanoTime() - recorded.before()).compareTo(window) >= 0;
    }

    /** Records from now on were polled after all completed successes, so the store is asked about them. */
    void newPoll() {
        lock.lock();
        try {
            done.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Returns when every success is recorded, or the engine goes on recording it in the background. */
    void flush() {
        while (true) {
            lock.lock();
            try {
                while (recording) {
                    notRecording.awaitUninterruptibly();
                }
                if (queue.isEmpty()) {
                    return;
                }
            } finally {
                lock.unlock();
            }
            recordQueued();
        }
    }

    /** One timer at a time: if each record is committed on its own, the timer finds nothing left to do. */
    private void recordSoon() {
        lock.lock();
        try {
            if (timed) {
                return;
            }
            timed = true;
        } finally {
            lock.unlock();
        }
        if (!timer.after(LONG, timeIsUp)) {
            timeIsUp();
        }
    }

    private void timeIsUp() {
        lock.lock();
        try {
            timed = false;
            if (queue.isEmpty()) {
                return;
            }
        } finally {
            lock.unlock();
        }
        recordInBackground();
    }

    private void recordInBackground() {
        try {
            background.execute(recordQueued);
        } catch (RejectedExecutionException | Error e) { // closed, or no thread is available
            log.debug("No background thread available; the consumer's thread records the successes", e);
            recordQueued();
        }
    }

    private void recordQueued() {
        boolean more = true;
        while (more) {
            List<Queued> batch = take();
            if (batch.isEmpty()) {
                return;
            }
            List<Completion> completions = List.of();
            long before = System.nanoTime();
            try {
                completions =
                        engine.succeedAll(batch.stream().map(Queued::execution).toList(), budget.current());
            } catch (Throwable e) { // their effects have happened: not acking would repeat them
                log.error(
                        "Cannot record {} successes in the deduplication store; these messages are handled again if"
                                + " redelivered",
                        batch.size(),
                        e);
            } finally {
                more = settled(batch, completions, before);
            }
        }
    }

    private List<Queued> take() {
        List<Queued> next =
                new ArrayList<>(); // allocated before the state changes: flush() waits for the recording thread
        lock.lock();
        try {
            if (recording || queue.isEmpty()) {
                return List.of();
            }
            recording = true;
            List<Queued> batch = queue;
            queue = next;
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether so many successes have been added meanwhile that they must be recorded at once. */
    private boolean settled(List<Queued> batch, List<Completion> completions, long before) {
        boolean some;
        boolean many;
        lock.lock();
        try {
            recording = false;
            notRecording.signalAll(); // first: a failure below must not leave the consumer waiting
            for (Queued each : batch) {
                open.remove(each.delivery().key(), each);
            }
            for (int i = 0; i < completions.size(); i++) {
                DedupKey key = batch.get(i).delivery().key();
                if (key != null && !open.containsKey(key) && completions.get(i) == Completion.DONE) {
                    done.put(key, new Recorded(batch.get(i), before));
                }
            }
            some = !queue.isEmpty();
            many = queue.size() >= MANY;
        } finally {
            lock.unlock();
        }
        if (some && !many) {
            recordSoon();
        }
        return many;
    }
}
