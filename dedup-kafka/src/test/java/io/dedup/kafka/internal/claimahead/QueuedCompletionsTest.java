package io.dedup.kafka.internal.claimahead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.Scene;
import io.dedup.kafka.WatchedStore;
import io.dedup.kafka.internal.PollBudget;
import io.dedup.kafka.internal.Timer;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a flush waits for always ends. */
class QueuedCompletionsTest {
    private final WatchedStore watched = new WatchedStore(new InMemoryDedupStore());
    private final Deduplicator dedup = Deduplicators.builder(watched.store)
            .consumer("completions")
            .shutdownTimeout(Duration.ZERO)
            .build();
    private final Timer timer = new Timer();
    private final ExecutorService background = Executors.newCachedThreadPool();
    private final CountDownLatch asked = new CountDownLatch(1);

    @AfterEach
    void close() {
        timer.close();
        background.shutdown();
        dedup.close();
    }

    private QueuedCompletions completions(Executor executor) {
        return new QueuedCompletions(DedupAdapter.of(dedup), executor, timer, new PollBudget(Duration.ofMinutes(5)));
    }

    private Delivery delivery(int i) {
        return Delivery.of(dedup.topic("orders"), "id" + i, null, () -> "orders-0@" + i);
    }

    private void add(QueuedCompletions completions, int i) {
        Execution execution =
                ((Admission.Run) DedupAdapter.of(dedup).admit(delivery(i), WaitBudget.none())).execution();
        execution.begin();
        completions.add(execution);
    }

    private boolean isDone(int i) {
        return DedupAdapter.of(dedup).admit(delivery(i), WaitBudget.none()) instanceof Admission.Duplicate;
    }

    @Test
    @DisplayName(
            "K18 a call to the store that fails with an Error on another thread: a flush returns, and the next ones work")
    void errorBeside() throws Exception {
        QueuedCompletions completions = completions(background);
        Runnable full = () -> {
            asked.countDown();
            throw new OutOfMemoryError("for once");
        };
        watched.before("completeAll", full);
        add(completions, 0);
        assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
        Future<?> flushed = background.submit(completions::flush);
        flushed.get(1, TimeUnit.MINUTES);

        watched.before("completeAll", () -> {});
        add(completions, 1);
        completions.flush();
        assertThat(isDone(1)).isTrue();
        await().atMost(Scene.PATIENCE).until(() -> isDone(0)); // recorded late, as after an outage
    }

    @Test
    @DisplayName("a flush waits while another thread tells the store: a commit follows it")
    void flushWaits() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        watched.before("completeAll", () -> {
            asked.countDown();
            await().atMost(Scene.PATIENCE).until(() -> answer.getCount() == 0);
        });
        QueuedCompletions completions = completions(background);
        add(completions, 0); // told by a timer's thread
        assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();

        Future<?> flushed = background.submit(completions::flush);
        await().during(Duration.ofMillis(300)).until(() -> !flushed.isDone());
        answer.countDown();

        flushed.get(1, TimeUnit.MINUTES);
        assertThat(isDone(0)).isTrue();
    }

    @Test
    @DisplayName("a flush sends the rest beside a call that is under way, and waits for both")
    void flushGoesBeside() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        watched.before("completeAll", () -> {
            if (calls.incrementAndGet() == 1) {
                asked.countDown();
                await().atMost(Scene.PATIENCE).until(() -> answer.getCount() == 0);
            }
        });
        QueuedCompletions completions = completions(background);
        add(completions, 0); // told by a timer's thread
        assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
        add(completions, 1);

        Future<?> flushed = background.submit(completions::flush);
        await().atMost(Scene.PATIENCE).until(() -> isDone(1));
        assertThat(flushed.isDone()).isFalse();
        answer.countDown();

        flushed.get(1, TimeUnit.MINUTES);
        assertThat(isDone(0)).isTrue();
        assertThat(calls).hasValue(2);
    }

    @Test
    @DisplayName("K18 without a timer and without a thread the store is told by the thread that adds")
    void nothingToBeHad() {
        timer.close();
        QueuedCompletions completions = completions(work -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        assertThatCode(() -> add(completions, 0)).doesNotThrowAnyException();
        assertThat(isDone(0)).isTrue();
        completions.flush();
    }
}
