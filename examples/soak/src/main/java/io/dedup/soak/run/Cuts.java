package io.dedup.soak.run;

import io.dedup.testkit.faults.TcpProxy;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Breaks connections to the stores now and then. */
final class Cuts implements AutoCloseable {
    private static final int BETWEEN_MILLIS = 30_000;
    private static final int FOR_MILLIS = 1_000;

    private final TcpProxy[] proxies;
    private final Random random;
    private final int betweenMillis;
    private final CountDownLatch end = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "cuts");
    private final AtomicInteger cuts = new AtomicInteger();

    /** @param most how long the whole run takes: a short one has cuts, too */
    Cuts(Servers servers, long seed, long most) {
        this.proxies = new TcpProxy[] {servers.toRedis, servers.toDatabase};
        this.random = new Random(seed);
        this.betweenMillis = (int) Math.min(BETWEEN_MILLIS, most / 4);
    }

    void start() {
        thread.start();
    }

    int cuts() {
        return cuts.get();
    }

    private void run() {
        while (!isEndAfter(betweenMillis / 2 + random.nextInt(betweenMillis))) {
            TcpProxy proxy = proxies[random.nextInt(proxies.length)];
            if (random.nextBoolean()) {
                proxy.refuse();
            }
            proxy.cut();
            boolean unused = isEndAfter(random.nextInt(FOR_MILLIS));
            proxy.heal();
            cuts.incrementAndGet();
        }
    }

    private boolean isEndAfter(int millis) {
        try {
            return end.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    @Override
    public void close() throws InterruptedException {
        end.countDown();
        thread.join();
    }
}
