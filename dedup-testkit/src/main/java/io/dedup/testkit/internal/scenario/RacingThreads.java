package io.dedup.testkit.internal.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Threads that start at the same moment. */
public final class RacingThreads implements AutoCloseable {
    public static final int SIZE = 8;

    private static final long PATIENCE_SECONDS = 120;

    private final ExecutorService threads = Executors.newFixedThreadPool(SIZE);

    /**
     * Runs one task per member, started together, and waits for all.
     *
     * @return their answers, by member
     */
    @SuppressWarnings("ThreadPriorityCheck") // yielding only makes a collision likelier; nothing depends on it
    public <T> List<T> together(IntFunction<Callable<T>> tasks) {
        CyclicBarrier start = new CyclicBarrier(SIZE);
        AtomicInteger awake = new AtomicInteger();
        List<Future<T>> futures = new ArrayList<>();
        for (int i = 0; i < SIZE; i++) {
            Callable<T> task = tasks.apply(i);
            futures.add(threads.submit(() -> {
                start.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
                // A barrier wakes threads one after the other; each waits for the rest, otherwise there is no race.
                awake.incrementAndGet();
                while (awake.get() < SIZE) {
                    Thread.yield();
                }
                return task.call();
            }));
        }
        List<T> answers = new ArrayList<>();
        for (Future<T> future : futures) {
            answers.add(answerOf(future));
        }
        return answers;
    }

    /** The task of a member for one key; member 0 may have another task than the rest. */
    public interface Move {
        Object play(KeyUnderTest subject, int member, int race);
    }

    /**
     * All members process these keys in this order, half of them through the other client.
     *
     * @return for each key the members' answers
     */
    public List<List<Object>> race(List<KeyUnderTest> subjects, Move move) {
        List<List<Object>> byMember = together(member -> () -> {
            List<Object> answers = new ArrayList<>();
            for (int race = 0; race < subjects.size(); race++) {
                answers.add(move.play(client(subjects.get(race), member), member, race));
            }
            return answers;
        });
        return IntStream.range(0, subjects.size())
                .mapToObj(race ->
                        byMember.stream().map(answers -> answers.get(race)).toList())
                .toList();
    }

    public static KeyUnderTest client(KeyUnderTest subject, int member) {
        return member % 2 == 0 ? subject : subject.elsewhere();
    }

    private static <T> T answerOf(Future<T> future) {
        try {
            return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("A racing thread failed: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("A racing thread hangs", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("Interrupted while waiting for the racing threads", e);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
