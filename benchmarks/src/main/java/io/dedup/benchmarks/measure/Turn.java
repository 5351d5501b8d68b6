package io.dedup.benchmarks.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** One contender's turn. */
final class Turn {
    private final Usage usage = new Usage();
    private final CountDownLatch start = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicLong messages = new AtomicLong();
    private final Contender contender;
    private final Duration time;
    private final LongSupplier serverNanos;
    private final CountDownLatch ready;
    private final CountDownLatch done;

    private Turn(Contender contender, Duration time, LongSupplier serverNanos) {
        this.contender = contender;
        this.time = time;
        this.serverNanos = serverNanos;
        this.ready = new CountDownLatch(contender.threads());
        this.done = new CountDownLatch(contender.threads());
    }

    static Sample run(Contender contender, Duration time, LongSupplier serverNanos) throws InterruptedException {
        return new Turn(contender, time, serverNanos).run();
    }

    private Sample run() throws InterruptedException {
        List<FutureTask<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < contender.threads(); i++) {
            FutureTask<Void> task = new FutureTask<>(this::thread, null);
            tasks.add(task);
            new Thread(task, "worker-" + i).start();
        }
        ready.await();
        long serverBefore = serverNanos.getAsLong();
        long bytesBefore = usage.bytes();
        long cpuBefore = usage.cpuNanos();
        long from = System.nanoTime();
        start.countDown();
        done.await();
        double seconds = (System.nanoTime() - from) / 1e9;
        long cpuNanos = usage.cpuNanos() - cpuBefore;
        long bytes = usage.bytes() - bytesBefore;
        end.countDown();
        long server = serverNanos.getAsLong() - serverBefore;
        for (FutureTask<Void> task : tasks) {
            join(task);
        }
        return new Sample(messages.get(), seconds, cpuNanos, server, bytes);
    }

    private static void join(FutureTask<Void> task) throws InterruptedException {
        try {
            task.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a worker failed", e.getCause());
        }
    }

    /** Ends only after the allocations were read: a thread that is gone has no count. */
    private void thread() {
        boolean atStart = false;
        try {
            Worker worker = contender.workers().get();
            atStart = true;
            ready.countDown();
            await(start);
            long until = System.nanoTime() + time.toNanos();
            long handled = 0;
            do {
                handled += worker.work();
            } while (System.nanoTime() - until < 0);
            messages.addAndGet(handled);
        } finally {
            if (!atStart) {
                ready.countDown();
            }
            done.countDown();
        }
        await(end);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
