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
 * What one consumer's handlers have done and the store hasn't been told. It is told of many with one call, beside the next
 * handlers, and of all before an offset beyond them is committed.
 *
 * <p>A crash leaves handled and not done what is in here: so nothing waits long. Thread-safe; only the consumer's thread adds
 * and waits.
 */
final class QueuedCompletions {
    static final int MANY = 50;
    static final Duration LONG = Duration.ofMillis(10);
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    /** A success that waits. */
    record Queued(Execution execution, Delivery delivery) {}

    /** A success that the store knows of, and when it didn't yet, by the local clock. */
    private record Told(Queued success, long before) {}

    private final DedupAdapter engine;
    private final Executor background;
    private final Timer timer;
    private final PollBudget budget;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition told = lock.newCondition();
    private final Map<DedupKey, Queued> open = new HashMap<>();
    /** Of this poll only: a copy that was polled with its first needn't be asked about. */
    private final Map<DedupKey, Told> done = new HashMap<>();

    private final Runnable tell = this::tell;
    private final Runnable timeIsUp = this::timeIsUp;
    private List<Queued> queue = new ArrayList<>();
    private boolean telling;
    private boolean timed;

    /** @param budget how long the store may keep the consumer waiting, beside what records wait for at their turn */
    QueuedCompletions(DedupAdapter engine, Executor background, Timer timer, PollBudget budget) {
        this.engine = engine;
        this.background = background;
        this.timer = timer;
        this.budget = budget;
    }

    /** The handler of this one has succeeded. */
    void add(Execution execution, Delivery delivery) {
        execution.returned();
        boolean first;
        boolean many;
        lock.lock();
        try {
            enqueue(new Queued(execution, delivery));
            first = !telling && queue.size() == 1;
            many = !telling && queue.size() == MANY;
        } catch (
                Throwable
                        e) { // out of memory: the container stops, and nobody would tell the store of what has happened
            execution.succeed(null, budget.current());
            throw e;
        } finally {
            lock.unlock();
        }
        if (many) {
            tellBeside();
        } else if (first) {
            tellSoon();
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

    /** The success of this key's message since {@link #newPoll}, unless the store may have forgotten it already. */
    @Nullable
    Queued find(DedupKey key) {
        lock.lock();
        try {
            Queued waiting = open.get(key);
            Told told = waiting == null ? done.get(key) : null;
            return told == null || isOver(told) ? waiting : told.success();
        } finally {
            lock.unlock();
        }
    }

    /** The window counts from when the store was told, which is later than {@link Told#before}. */
    private static boolean isOver(Told told) {
        Duration window = told.success().delivery().topic().policy().window().duration();
        return window != null
                && Duration.ofNanos(System.nanoTime() - told.before()).compareTo(window) >= 0;
    }

    /** Whatever comes from now on was polled later than what is done by now, and the store is asked about it. */
    void newPoll() {
        lock.lock();
        try {
            done.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Returns when the store knows of everything, or the engine goes on telling it in the background. */
    void flush() {
        while (true) {
            lock.lock();
            try {
                while (telling) {
                    told.awaitUninterruptibly();
                }
                if (queue.isEmpty()) {
                    return;
                }
            } finally {
                lock.unlock();
            }
            tell();
        }
    }

    /** One timer at a time: where each record is committed on its own, it finds nothing left to do. */
    private void tellSoon() {
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
        tellBeside();
    }

    private void tellBeside() {
        try {
            background.execute(tell);
        } catch (RejectedExecutionException | Error e) { // closed, or there are no more threads to be had
            log.debug("Told by the consumer's thread", e);
            tell();
        }
    }

    private void tell() {
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
            } catch (Throwable e) { // their effects have happened: not to ack them would make them happen again
                log.error("{} completions failed; their messages may run again when they come again", batch.size(), e);
            } finally {
                more = settled(batch, completions, before);
            }
        }
    }

    private List<Queued> take() {
        List<Queued> next = new ArrayList<>(); // before the state changes: flush() waits for whoever tells
        lock.lock();
        try {
            if (telling || queue.isEmpty()) {
                return List.of();
            }
            telling = true;
            List<Queued> batch = queue;
            queue = next;
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /** Whether so many have come meanwhile that they go at once. */
    private boolean settled(List<Queued> batch, List<Completion> completions, long before) {
        boolean some;
        boolean many;
        lock.lock();
        try {
            telling = false;
            told.signalAll(); // first: whatever fails below must not leave the consumer waiting
            for (Queued each : batch) {
                open.remove(each.delivery().key(), each);
            }
            for (int i = 0; i < completions.size(); i++) {
                DedupKey key = batch.get(i).delivery().key();
                if (key != null && !open.containsKey(key) && completions.get(i) == Completion.DONE) {
                    done.put(key, new Told(batch.get(i), before));
                }
            }
            some = !queue.isEmpty();
            many = queue.size() >= MANY;
        } finally {
            lock.unlock();
        }
        if (some && !many) {
            tellSoon();
        }
        return many;
    }
}
