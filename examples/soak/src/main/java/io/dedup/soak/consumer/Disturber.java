package io.dedup.soak.consumer;

import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;

/** Rebalances groups by guests that come and go, and pauses and resumes containers, all the time. */
final class Disturber implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Disturber.class);
    private static final int GUEST_MILLIS = 3_000;
    private static final int BETWEEN_MILLIS = 1_000;
    private static final int PAUSE_MILLIS = 300;

    private final Listeners listeners;
    private final Random random;
    private final CountDownLatch end = new CountDownLatch(1);
    private final List<Thread> threads;

    Disturber(Listeners listeners, long seed) {
        this.listeners = listeners;
        this.random = new Random(seed);
        this.threads = List.of(new Thread(this::rebalance, "rebalance"), new Thread(this::pause, "pause"));
    }

    void start() {
        threads.forEach(Thread::start);
    }

    private void rebalance() {
        int turn = 0;
        while (!isEndAfter(random.nextInt(BETWEEN_MILLIS))) {
            LaneListener lane = listeners.all().get(turn++ % listeners.all().size());
            ConcurrentMessageListenerContainer<String, String> guest = lane.guest();
            guest.start();
            boolean unused = isEndAfter(random.nextInt(GUEST_MILLIS));
            guest.stop();
        }
    }

    private void pause() {
        while (!isEndAfter(random.nextInt(BETWEEN_MILLIS))) {
            LaneListener lane =
                    listeners.all().get(random.nextInt(listeners.all().size()));
            lane.container().pause();
            boolean unused = isEndAfter(random.nextInt(PAUSE_MILLIS));
            lane.container().resume();
        }
    }

    private boolean isEndAfter(int millis) {
        try {
            return end.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            log.warn("interrupted", e);
            return true;
        }
    }

    @Override
    public void close() throws InterruptedException {
        end.countDown();
        for (Thread thread : threads) {
            if (thread.getState() != Thread.State.NEW) {
                thread.join();
            }
        }
    }
}
