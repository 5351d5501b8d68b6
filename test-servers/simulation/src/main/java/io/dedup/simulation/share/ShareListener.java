package io.dedup.simulation.share;

import io.dedup.simulation.draw.Draws;
import io.dedup.simulation.judge.Ledger;
import io.dedup.simulation.share.ShareCircumstances.Acks;
import io.dedup.simulation.share.ShareCircumstances.OnFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.ShareAcknowledgment;

/** What the application's listener does with a message. Knows also when something has kept its process from renewing its locks. */
final class ShareListener {
    private final ShareWorld world;
    private final ShareProcess process;
    private final List<long[]> running = new ArrayList<>();
    private long disturbedAt = Long.MIN_VALUE;
    private int workers;

    ShareListener(ShareWorld world, ShareProcess process) {
        this.world = world;
        this.process = process;
    }

    /** The broker or the network has failed this process. */
    void disturbed() {
        disturbedAt = world.now();
    }

    /** Whether a lock that was taken then may have timed out although the process did all it could. */
    boolean mayLose(long since) {
        long longest = world.circumstances.processing().toNanos();
        return process.isDead()
                || disturbedAt >= since
                || running.stream()
                        .anyMatch(times -> times[1] >= since && Math.min(times[1], world.now()) - times[0] > longest);
    }

    void onRecord(
            ConsumerRecord<?, ?> record, @Nullable ShareAcknowledgment ack, @Nullable ShareConsumer<?, ?> consumer) {
        process.mustLive();
        String id = String.valueOf(record.value());
        if (world.circumstances.acks() == Acks.LATER && ack != null) {
            workers++;
            new Thread(
                            () -> {
                                try {
                                    handle(id, ack);
                                } catch (ShareProcess.Died | IllegalStateException e) {
                                    return;
                                } finally {
                                    workers--;
                                }
                            },
                            process.name() + "-worker")
                    .start();
            return;
        }
        if (consumer != null && world.draws.happens("a handler", "wakes its consumer up at " + id)) {
            world.step(process.name() + ": a handler wakes its consumer up");
            disturbed(); // the container stops because of it
            consumer.wakeup();
        }
        handle(id, ack);
    }

    void awaitWorkers() {
        boolean unused = world.schedule.await(() -> workers == 0, Duration.ofMinutes(2));
    }

    private void handle(String id, @Nullable ShareAcknowledgment ack) {
        Draws draws = world.draws;
        Ledger.Run run = world.ledger.began(process.name());
        long[] times = {world.now(), Long.MAX_VALUE};
        running.add(times);
        try {
            int call = world.count("handles " + id);
            pass(draws.below(4, "time of " + id + " " + call) * 5L);
            if (draws.happens("a handler", "is slow with " + id + " " + call)) {
                slow(id, call);
            }
            if (ack != null && world.circumstances.renews() && draws.below(3, "renews " + id + " " + call) == 0) {
                process.mustLive();
                world.step(process.name() + ": handler of " + id + " renews its lock");
                ack.renew();
                slow(id, call + 1_000);
            }
            process.mustLive();
            boolean fails = fails(id);
            boolean hasEffect = !fails || world.circumstances.onFailure() == OnFailure.ACKNOWLEDGE_AND_THROW;
            if (hasEffect) {
                world.ledger.effect(id, run);
            }
            if (draws.happens("a handler", "lingers after " + id + " " + call)) {
                slow(id, call + 2_000);
            }
            process.mustLive();
            if (hasEffect && ack != null) {
                ack.acknowledge();
            }
            world.ledger.ended(run);
            if (fails) {
                world.step(process.name() + ": handler fails for " + id);
                fail(id, ack, hasEffect);
            }
        } finally {
            times[1] = world.now();
        }
    }

    private void slow(String id, int call) {
        ShareCircumstances circumstances = world.circumstances;
        long[] slow = {
            300,
            circumstances.lease().toMillis() * 3 / 4,
            circumstances.lease().toMillis() * 3 / 2,
            circumstances.processing().toMillis() * 5 / 4,
            circumstances.lock().toMillis() * 3 / 2,
            circumstances.lock().toMillis() * 3
        };
        long time = slow[world.draws.below(slow.length, "how slow " + id + " " + call)];
        world.step(process.name() + ": handler of " + id + " takes " + time + " ms");
        pass(time);
    }

    private void pass(long millis) {
        if (millis > 0) {
            world.sleep(Duration.ofMillis(millis));
        }
    }

    private boolean fails(String id) {
        int before = world.ledger.failures(id);
        boolean forEver = world.draws.below(12, "for ever " + id) == 0;
        return before == 0
                ? world.draws.happens("a handler", id + " fails")
                : forEver || before <= world.draws.below(3, "times " + id);
    }

    private void fail(String id, @Nullable ShareAcknowledgment ack, boolean hasEffect) {
        if (!hasEffect) {
            world.ledger.failed(id);
        }
        switch (world.circumstances.onFailure()) {
            case RELEASE -> {
                if (ack != null) {
                    ack.release();
                }
            }
            case REJECT -> {
                if (ack != null) {
                    world.givesUp(id);
                    ack.reject();
                }
            }
            case ERROR -> throw new AssertionError("cannot handle " + id);
            case THROW, ACKNOWLEDGE_AND_THROW -> throw new IllegalStateException("cannot handle " + id);
        }
    }
}
