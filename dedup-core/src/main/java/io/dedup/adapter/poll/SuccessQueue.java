package io.dedup.adapter.poll;

import io.dedup.DedupKey;
import io.dedup.DedupOutcome.Completion;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
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

/**
 * The successes of one consumer's handlers that aren't recorded yet. Many are recorded with one call, while the next
 * handlers run, and all of them before an offset beyond them is committed.
 *
 * <p>If the process crashes, the messages in here are handled again, so nothing stays here for long. Thread-safe; only
 * the consumer's thread adds successes and waits.
 */
public final class SuccessQueue {
    static final int MANY = 50;
    static final Duration LONG = Duration.ofMillis(10);

    /**
     * Successes that one call records.
     *
     * @param allowed how long the store may keep this call waiting, in nanoseconds
     * @param left what is left of that
     */
    private record Batch(List<Execution> successes, long allowed, WaitBudget left) {
        long waited() {
            return allowed - left.nanosLeft();
        }
    }

    /** A recorded success, and the local time before it was recorded. */
    private record Recorded(Execution success, long before) {}

    private final DedupAdapter engine;
    private final Executor background;
    private final PollTimer timer;
    private final PollBudget budget;
    private final Logger log;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notRecording = lock.newCondition();
    private final Map<DedupKey, Execution> open = new HashMap<>();
    /** Successes of this poll only: copies that were polled together needn't be asked about. */
    private final Map<DedupKey, Recorded> done = new HashMap<>();

    private final Runnable recordQueued = this::recordQueued;
    private final Runnable timeIsUp = this::timeIsUp;
    private List<Execution> queue = new ArrayList<>();
    /** Whether a success that isn't recorded yet may be charged with a death if the process crashes. Written under the lock. */
    private volatile boolean chargeable;

    /** The number of calls under way: one in the background, and one of a flush beside it. */
    private int recording;

    private boolean timed;

    /**
     * Creates the one of a consumer.
     *
     * @param background calls the store while the consumer's thread goes on
     * @param budget how long the store may keep the consumer waiting, in addition to the waits at the records' turns
     */
    public SuccessQueue(DedupAdapter engine, Executor background, PollTimer timer, PollBudget budget, Logger log) {
        this.engine = engine;
        this.background = background;
        this.timer = timer;
        this.budget = budget;
        this.log = log;
    }

    /** Adds a success. */
    void add(Execution execution) {
        execution.returned();
        int size;
        try {
            size = enqueue(execution);
        } catch (Throwable e) { // out of memory: the container stops, and nothing else would record the success
            execution.succeed(null, budget.current());
            throw e;
        }
        if (size == MANY) {
            recordInBackground();
        } else if (size == 2 * MANY) { // its threads are busy elsewhere, and a crash would repeat all of these
            recordQueued();
        } else if (size == 1) {
            recordSoon();
        }
    }

    /** Returns how many are queued; 0 during a call, after which they are recorded without anybody's doing. */
    private int enqueue(Execution execution) {
        DedupKey key = execution.delivery().key();
        lock.lock();
        try {
            queue.add(execution);
            try {
                if (key != null) {
                    open.put(key, execution);
                }
            } catch (Throwable e) {
                queue.remove(queue.size() - 1);
                throw e;
            }
            chargeable = chargeable || execution.countsDeath();
            return recording == 0 ? queue.size() : 0;
        } finally {
            lock.unlock();
        }
    }

    /** Whether a success that isn't recorded yet may be charged with a death if the process crashes. */
    boolean isChargeable() {
        return chargeable;
    }

    /** The success of this key's message since {@link #newPoll}, unless its window may be over already. */
    @Nullable
    Execution find(DedupKey key) {
        lock.lock();
        try {
            Execution waiting = open.get(key);
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

    /**
     * Returns when every success is recorded, or the engine goes on recording it in the background. Doesn't wait for a
     * call that is under way before it sends the rest.
     */
    void flush() {
        while (true) {
            record(take(true));
            lock.lock();
            try {
                while (recording > 0) {
                    notRecording.awaitUninterruptibly();
                }
                if (queue.isEmpty()) {
                    return;
                }
            } finally {
                lock.unlock();
            }
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
            more = record(take(false));
        }
    }

    /** Returns whether so many successes have been added meanwhile that they must be recorded at once. */
    private boolean record(@Nullable Batch batch) {
        if (batch == null) {
            return false;
        }
        List<Completion> completions = List.of();
        long before = System.nanoTime();
        try {
            completions = engine.succeedAll(batch.successes(), batch.left());
        } catch (Throwable e) { // their effects have happened: not acking would repeat them
            recordEach(batch);
            log.error(
                    "A call that records {} successes has failed; each is recorded alone. A message whose success isn't is"
                            + " handled again if redelivered",
                    batch.successes().size(),
                    e);
        } finally {
            settled(batch, completions, before);
        }
        return isAnotherDue();
    }

    /** What a failed call hasn't settled would be forgotten here, and its lease renewed for maxProcessingTime. */
    private static void recordEach(Batch batch) {
        for (Execution each : batch.successes()) {
            try {
                Completion unused = each.succeed(null, batch.left());
            } catch (Throwable ignored) { // the next ones must be settled as well; the caller logs the first failure
                each.abandon();
            }
        }
    }

    /**
     * Takes what is queued; null if there is nothing, or if a call is under way.
     *
     * @param beside whether to take it although a call is under way
     */
    private @Nullable Batch take(boolean beside) {
        lock.lock();
        try {
            if (queue.isEmpty() || (recording > 0 && !beside)) {
                return null;
            }
            // Allocated before the state changes: flush() waits for whoever records.
            List<Execution> next = new ArrayList<>();
            // Two calls at a time may wait as long as one: the consumer waits for both together.
            long allowed = budget.current().nanosLeft();
            Batch batch = new Batch(queue, allowed, WaitBudget.of(Duration.ofNanos(allowed)));
            recording++;
            queue = next;
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private void settled(Batch batch, List<Completion> completions, long before) {
        lock.lock();
        try {
            recording--;
            notRecording.signalAll(); // first: a failure below must not leave the consumer waiting
            chargeable = chargeable && (recording > 0 || !queue.isEmpty());
            budget.current().spend(batch.waited());
            List<Execution> successes = batch.successes();
            for (Execution each : successes) {
                open.remove(each.delivery().key(), each);
            }
            for (int i = 0; i < completions.size(); i++) {
                DedupKey key = successes.get(i).delivery().key();
                if (key != null && !open.containsKey(key) && completions.get(i) == Completion.DONE) {
                    done.put(key, new Recorded(successes.get(i), before));
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether many successes have been added during a call. If there are only some, the timer takes care of them. */
    private boolean isAnotherDue() {
        boolean some;
        boolean many;
        lock.lock();
        try {
            some = recording == 0 && !queue.isEmpty();
            many = some && queue.size() >= MANY;
        } finally {
            lock.unlock();
        }
        if (some && !many) {
            recordSoon();
        }
        return many;
    }
}
