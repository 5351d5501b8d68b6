package io.dedup.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RepeatedWorkTest {
    private static final long PERIOD = TimeUnit.MILLISECONDS.toNanos(5);

    private final ScheduledExecutorService looks = Executors.newSingleThreadScheduledExecutor();
    private final Executor workers = work -> {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
    };
    private final AtomicInteger done = new AtomicInteger();

    @AfterEach
    void end() {
        looks.shutdownNow();
    }

    @Test
    void isDoneOnlyWhenItIsNeeded() {
        AtomicBoolean isNeeded = new AtomicBoolean();
        RepeatedWork work = new RepeatedWork(workers, isNeeded::get, done::incrementAndGet, false);
        work.beginLooks(looks, PERIOD);
        await().during(PERIOD * 5, TimeUnit.NANOSECONDS).until(() -> done.get() == 0);

        isNeeded.set(true);

        await().until(() -> done.get() > 3);
    }

    @Test
    @DisplayName("work that is asked for while it ends is done again, and never beside itself")
    void again() throws InterruptedException {
        AtomicInteger running = new AtomicInteger();
        AtomicBoolean beside = new AtomicBoolean();
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger seen = new AtomicInteger();
        RepeatedWork work = new RepeatedWork(
                workers,
                () -> false,
                () -> {
                    beside.compareAndSet(false, running.incrementAndGet() > 1);
                    seen.set(asked.get());
                    running.decrementAndGet();
                },
                false);

        for (int i = 0; i < 20_000; i++) {
            asked.incrementAndGet();
            work.startNow();
        }

        await().until(() -> seen.get() == 20_000);
        assertThat(beside).isFalse();
    }

    @Test
    @DisplayName(
            "if no thread can be had, the thread of the looks does it where this was asked for, else a later look tries it again")
    void noThread() {
        Executor none = task -> {
            throw new OutOfMemoryError("unable to create native thread");
        };
        RepeatedWork here = new RepeatedWork(none, () -> true, done::incrementAndGet, true);
        here.beginLooks(looks, PERIOD);
        await().until(() -> done.get() > 3);
        here.cancel();

        AtomicBoolean mended = new AtomicBoolean();
        AtomicInteger later = new AtomicInteger();
        RepeatedWork elsewhere = new RepeatedWork(
                task -> (mended.get() ? workers : none).execute(task), () -> true, later::incrementAndGet, false);
        elsewhere.beginLooks(looks, PERIOD);
        elsewhere.startNow();
        assertThat(later).hasValue(0);
        mended.set(true);
        await().until(() -> later.get() > 0);
    }

    @Test
    @DisplayName("an exception or an error ends neither the work nor the looks")
    void thrown() {
        RepeatedWork work = new RepeatedWork(
                task -> workers.execute(() -> {
                    try {
                        task.run();
                    } catch (StackOverflowError expected) {
                        // what the thread's handler would print
                    }
                }),
                () -> done.get() < 4 || throwing(),
                () -> {
                    done.incrementAndGet();
                    throw new StackOverflowError();
                },
                false);
        work.beginLooks(looks, PERIOD);

        await().until(() -> done.get() >= 4);
        work.startNow();
        await().until(() -> done.get() >= 5);
    }

    private static boolean throwing() {
        throw new IllegalStateException();
    }

    @Test
    @DisplayName("an interrupt ends what is under way; after a cancellation nothing begins")
    void interrupted() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        AtomicBoolean wasInterrupted = new AtomicBoolean();
        RepeatedWork work = new RepeatedWork(
                workers,
                () -> true,
                () -> {
                    begun.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        wasInterrupted.set(true);
                    }
                    done.incrementAndGet();
                },
                false);
        work.beginLooks(looks, PERIOD);
        begun.await();

        work.cancel();
        work.awaitEnd(PERIOD);
        assertThat(done).hasValue(0);
        work.interrupt();
        work.awaitEnd(TimeUnit.SECONDS.toNanos(30));

        assertThat(wasInterrupted).isTrue();
        work.startNow();
        work.interrupt();
        work.awaitEnd(TimeUnit.SECONDS.toNanos(30));
        assertThat(done).hasValue(1);
    }
}
