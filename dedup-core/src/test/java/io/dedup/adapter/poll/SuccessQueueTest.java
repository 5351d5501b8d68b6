package io.dedup.adapter.poll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.engine.Deduplicators;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore;
import io.dedup.support.FaultyStore.Op;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a flush waits for always ends. */
class SuccessQueueTest {
    private static final Logger log = LoggerFactory.getLogger(SuccessQueueTest.class);

    private final FaultyStore watched = new FaultyStore(new InMemoryDedupStore());
    private final Deduplicator dedup = Deduplicators.builder(watched)
            .consumer("successes")
            .shutdownTimeout(Duration.ZERO)
            .build();
    private final PollTimer timer = new PollTimer("timer", log);
    private final ExecutorService background = Executors.newCachedThreadPool();
    private final CountDownLatch asked = new CountDownLatch(1);

    @AfterEach
    void close() {
        timer.close();
        background.shutdown();
        dedup.close();
    }

    private SuccessQueue successes(Executor executor) {
        return new SuccessQueue(DedupAdapter.of(dedup), executor, timer, new PollBudget(Duration.ofMinutes(5)), log);
    }

    private Delivery delivery(int i) {
        return Delivery.of(dedup.topic("orders"), "id" + i, null, () -> "orders-0@" + i);
    }

    private void add(SuccessQueue successes, int i) {
        Execution execution =
                ((Admission.Run) DedupAdapter.of(dedup).admit(delivery(i), WaitBudget.none())).execution();
        execution.begin();
        successes.add(execution);
    }

    private DedupKey key(int i) {
        return dedup.key("orders", "id" + i);
    }

    private boolean isDone(int i) {
        return DedupAdapter.of(dedup).admit(delivery(i), WaitBudget.none()) instanceof Admission.Duplicate;
    }

    @Test
    @DisplayName(
            "K18 a call to the store that fails with an Error on another thread: a flush returns, and the next ones work")
    void errorBeside() throws Exception {
        SuccessQueue successes = successes(background);
        watched.on(Op.COMPLETE, (call, real) -> {
            asked.countDown();
            throw new OutOfMemoryError("for once");
        });
        add(successes, 0);
        assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
        Future<?> flushed = background.submit(successes::flush);
        flushed.get(1, TimeUnit.MINUTES);

        watched.heal();
        add(successes, 1);
        successes.flush();
        assertThat(isDone(1)).isTrue();
        await().until(() -> isDone(0)); // recorded late, as after an outage
    }

    @Test
    @DisplayName(
            "what a call that threw has left unsettled is recorded one by one, and its lease isn't renewed any longer")
    void settlesNothing() {
        DedupAdapter engine = DedupAdapter.of(dedup);
        DedupAdapter failing = (DedupAdapter) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DedupAdapter.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("succeedAll")) {
                        throw new InternalError("of a test");
                    }
                    return method.invoke(engine, arguments);
                });
        SuccessQueue successes =
                new SuccessQueue(failing, background, timer, new PollBudget(Duration.ofMinutes(5)), log);
        add(successes, 0);
        add(successes, 1);

        successes.flush();

        assertThat(engine.inFlight()).isZero();
        assertThat(isDone(0)).isTrue();
        assertThat(isDone(1)).isTrue();
    }

    @Test
    @DisplayName("a flush waits while another thread records: a commit follows it")
    void flushWaits() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        watched.on(Op.COMPLETE, Faults.hanging(asked, answer));
        SuccessQueue successes = successes(background);
        add(successes, 0); // recorded by a timer's thread
        assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();

        Future<?> flushed = background.submit(successes::flush);
        await().during(Duration.ofMillis(300)).until(() -> !flushed.isDone());
        answer.countDown();

        flushed.get(1, TimeUnit.MINUTES);
        assertThat(isDone(0)).isTrue();
    }

    @Test
    @DisplayName("a flush sends the rest beside a call that is under way, and waits for both")
    void flushGoesBeside() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        watched.on(Op.COMPLETE, Faults.times(1, Faults.hanging(asked, answer)));
        SuccessQueue successes = successes(background);
        add(successes, 0); // recorded by a timer's thread
        assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
        add(successes, 1);

        Future<?> flushed = background.submit(successes::flush);
        await().until(() -> isDone(1));
        assertThat(flushed.isDone()).isFalse();
        answer.countDown();

        flushed.get(1, TimeUnit.MINUTES);
        assertThat(isDone(0)).isTrue();
        assertThat(watched.calls(Op.COMPLETE)).hasSize(2);
    }

    @Test
    @DisplayName(
            "K18 if the background's threads are busy elsewhere, the thread that adds records: few are lost in a crash")
    void backgroundIsBusy() {
        SuccessQueue successes = successes(work -> {}); // its turn doesn't come
        for (int i = 0; i < 2 * SuccessQueue.MANY; i++) {
            add(successes, i);
        }

        assertThat(isDone(0)).isTrue();
        assertThat(isDone(2 * SuccessQueue.MANY - 1)).isTrue();
        assertThat(watched.calls(Op.COMPLETE)).hasSize(1);
    }

    @Test
    @DisplayName("K18 without a timer and without a thread the thread that adds records")
    void nothingToBeHad() {
        timer.close();
        SuccessQueue successes = successes(work -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        assertThatCode(() -> add(successes, 0)).doesNotThrowAnyException();
        assertThat(isDone(0)).isTrue();
        successes.flush();
    }

    @Test
    @DisplayName("the store isn't called under the lock: while it hangs, the consumer's thread goes on")
    void callsNobodyUnderTheLock() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        watched.on(Op.COMPLETE, Faults.hanging(asked, answer));
        SuccessQueue successes = successes(background);
        add(successes, 0);
        assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue(); // by the call in the background

        background
                .submit(() -> {
                    assertThat(successes.find(key(0))).isNotNull();
                    assertThat(successes.find(key(1))).isNull();
                    add(successes, 1);
                    assertThat(successes.find(key(1))).isNotNull();
                    successes.newPoll();
                })
                .get(1, TimeUnit.MINUTES);

        answer.countDown();
        successes.flush();
        assertThat(isDone(0)).isTrue();
        assertThat(isDone(1)).isTrue();
    }
}
