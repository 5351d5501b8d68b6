package io.dedup.simulation.rocketmq;

import io.dedup.simulation.draw.Draws;
import io.dedup.simulation.judge.Ledger;
import java.time.Duration;
import java.util.List;

/** What the application's handler does with a message. */
final class DrawnHandler {
    private final World world;
    private final Member process;

    DrawnHandler(World world, Member process) {
        this.world = world;
        this.process = process;
    }

    /** Handles a message. Returns false if it cannot; {@link #fail} says so in the drawn way. */
    boolean handles(String id) {
        return handlesAll(List.of(id));
    }

    /** Handles messages together: all of them or none. */
    boolean handlesAll(List<String> ids) {
        process.mustLive();
        Draws draws = world.draws;
        Ledger.Run run = world.ledger.began(process.name());
        String first = ids.get(0);
        int call = world.count("handles " + first);
        pass(draws.below(4, "time of " + first + " " + call) * 5L);
        if (draws.happens("a handler", "is slow with " + first + " " + call)) {
            slow(first, call);
        }
        process.mustLive();
        for (String id : ids) {
            if (fails(id)) {
                world.ledger.failed(id);
                world.step(process.name() + ": handler fails for " + id);
                return false;
            }
        }
        ids.forEach(id -> world.ledger.effect(id, run));
        if (draws.happens("a handler", "lingers after " + first + " " + call)) {
            slow(first, call);
        }
        process.mustLive();
        world.ledger.ended(run);
        return true;
    }

    private void slow(String id, int call) {
        RocketMqCircumstances circumstances = world.circumstances;
        long[] times = {
            300,
            circumstances.lease().toMillis() * 3 / 4,
            circumstances.lease().toMillis() * 3 / 2,
            circumstances.processing().toMillis() * 5 / 4,
            circumstances.invisible().toMillis() * 3 / 2
        };
        long time = times[world.draws.below(times.length, "how slow " + id + " " + call)];
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

    /** Throws, if the drawn failure throws. */
    void fail(String id) {
        switch (world.circumstances.onFailure()) {
            case THROW -> throw new IllegalStateException("cannot handle " + id);
            case ERROR -> throw new AssertionError("cannot handle " + id);
            default -> {}
        }
    }
}
