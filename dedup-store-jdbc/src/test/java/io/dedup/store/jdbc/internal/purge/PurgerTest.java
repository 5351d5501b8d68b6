package io.dedup.store.jdbc.internal.purge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.store.jdbc.internal.dialect.Dialect.PurgeRun;
import io.dedup.store.jdbc.internal.sql.TableName;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The thread that purges, by a clock that stands still unless it is told to go. */
class PurgerTest {
    private static final int FULL = 100;

    private final TableName table = TableName.parse("purger_test");
    private final AtomicLong nanos = new AtomicLong();
    private final List<Integer> sizes = new CopyOnWriteArrayList<>();
    private Purger purger;

    private void start(IntFunction<PurgeRun> batch) {
        purger = new Purger(
                table,
                Duration.ofMillis(1),
                size -> {
                    sizes.add(size);
                    return batch.apply(size);
                },
                new PurgePace(FULL),
                nanos::get);
        purger.start();
    }

    @AfterEach
    void close() {
        purger.close();
    }

    private static boolean isRunning() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("dedup-purge-purger_test"));
    }

    @Test
    @DisplayName("batches follow each other until one finds less than it asked for, however many that takes")
    void untilNothingIsLeft() {
        AtomicInteger left = new AtomicInteger(2_000 * FULL);
        start(size -> {
            int found = Math.min(size, left.get());
            left.addAndGet(-found);
            return new PurgeRun(found, found, found == size);
        });
        await().until(() -> left.get() == 0);
        assertThat(sizes).hasSizeGreaterThanOrEqualTo(2_000);
    }

    @Test
    @DisplayName("batches get smaller when one is slower than those before")
    void paced() {
        start(size -> {
            nanos.addAndGet(Duration.ofMillis(sizes.size() == 1 ? 1 : 50).toNanos());
            return sizes.size() < 4 ? new PurgeRun(size, size, true) : new PurgeRun(0, 0, false);
        });
        await().until(() -> sizes.size() >= 4);
        assertThat(sizes).startsWith(100, 100, 50, 25);
    }

    @Test
    @DisplayName("a batch that looked at little, the rest of a partition, is no measure for those that look at more")
    void little() {
        start(size -> {
            boolean little = sizes.size() == 1;
            nanos.addAndGet(Duration.ofMillis(little ? 1 : 8).toNanos());
            return new PurgeRun(0, little ? 1 : size, sizes.size() < 4);
        });
        await().until(() -> sizes.size() >= 4);
        assertThat(sizes).startsWith(100, 100, 100, 100);
    }

    @Test
    @DisplayName("closing ends a purge that rests, at once")
    void closeWhileResting() {
        start(size -> {
            nanos.addAndGet(Duration.ofHours(1).toNanos());
            return new PurgeRun(size, size, true);
        });
        await().until(() -> sizes.size() == 1);

        purger.close();

        assertThat(isRunning()).isFalse();
        assertThat(sizes).hasSize(1);
    }

    @Test
    @DisplayName("closing waits for the batch that runs, without interrupting it, and no other follows")
    void closeDuringBatch() {
        CountDownLatch started = new CountDownLatch(1);
        AtomicInteger ended = new AtomicInteger();
        start(size -> {
            started.countDown();
            await().until(() -> purger.isClosed());
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            ended.incrementAndGet();
            return new PurgeRun(size, size, true);
        });
        await().until(() -> started.getCount() == 0);

        purger.close();

        assertThat(ended).hasValue(1);
        assertThat(isRunning()).isFalse();
        assertThat(sizes).hasSize(1);
    }

    @Test
    @DisplayName("closing doesn't wait for a batch that hangs")
    void closeWhileHanging() {
        CountDownLatch hang = new CountDownLatch(1);
        start(size -> {
            await().until(() -> hang.getCount() == 0);
            return new PurgeRun(0, 0, false);
        });
        await().until(() -> !sizes.isEmpty());

        purger.close();

        assertThat(isRunning()).isTrue();
        hang.countDown();
        await().until(() -> !isRunning());
    }
}
