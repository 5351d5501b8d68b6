package io.dedup.spring.boot.http;

import io.dedup.DedupContext;
import io.dedup.step.LeaseLostException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** What the handlers of the applications under test do, by the name that a request gives its operation. */
final class Work {
    private static final Map<String, AtomicInteger> RUNS = new ConcurrentHashMap<>();
    private static final Map<String, CountDownLatch> GATES = new ConcurrentHashMap<>();

    private static final Set<String> LEFT = ConcurrentHashMap.newKeySet();

    private Work() {}

    /** The server, or the handler, has noticed that the client of the operation has gone away, or the handler has ended. */
    static void left(String operation) {
        LEFT.add(operation);
    }

    static boolean hasLeft(String operation) {
        return LEFT.contains(operation);
    }

    /** Counts a run; returns its number. */
    static int run(String operation) {
        return RUNS.computeIfAbsent(operation, unused -> new AtomicInteger()).incrementAndGet();
    }

    static int runs(String operation) {
        AtomicInteger runs = RUNS.get(operation);
        return runs == null ? 0 : runs.get();
    }

    /** The first attempt outlives its lease, so that its step doesn't run, and answers as if it had done its work. */
    static String accept(String operation, DedupContext dedup) {
        while (dedup.attempt() == 1 && !dedup.leaseLost()) {
            LockSupport.parkNanos(1_000_000);
        }
        try {
            dedup.step("charge", () -> run(operation));
            return "charged";
        } catch (LeaseLostException e) {
            return "accepted";
        } finally {
            left(operation);
        }
    }

    /** Makes runs of the operation wait. */
    static void close(String operation) {
        GATES.put(operation, new CountDownLatch(1));
    }

    static void open(String operation) {
        GATES.get(operation).countDown();
    }

    static void await(String operation) {
        CountDownLatch gate = GATES.get(operation);
        try {
            if (gate != null && !gate.await(Duration.ofSeconds(30).toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("nobody opened the gate of " + operation);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
