package io.dedup.simulation.rocketmq;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.simulation.judge.Ledger;
import io.dedup.simulation.store.FailingStore;
import io.dedup.simulation.store.StoreOutage;
import io.dedup.store.DedupStore;
import java.time.Duration;
import java.util.concurrent.ConcurrentMap;

/** One process of the application: a deduplicator and a consumer. */
final class Member {
    static final String TOPIC = "orders";

    private final World world;
    private final String name;
    private final FailingStore store;
    private final StoreOutage outage;
    private final Deduplicator dedup;
    private final DrawnHandler handler;
    private boolean dead;

    /** What consumes in a process. */
    interface Consumer {
        /** Closes the adapter and the consumer, in the documented order. Returns when running handlers have ended. */
        void close();
    }

    private Consumer consumer = () -> {};

    Member(World world, String name, DedupStore records, ConcurrentMap<String, Integer> calls, StoreOutage outage) {
        this.world = world;
        this.name = name;
        this.store = new FailingStore(records, world.draws, calls, this::beforeStoreCall, step -> {
            if (!dead) {
                world.ledger.happened(Ledger.Kind.STORE_FAILED, name);
                world.step(name + " " + step);
            }
        });
        this.outage = outage;
        RocketMqCircumstances circumstances = world.circumstances;
        this.dedup = Deduplicators.builder(store.asStore())
                .consumer("group")
                .shutdownTimeout(Duration.ofSeconds(2))
                .topic(
                        TOPIC,
                        policy -> policy.lease(circumstances.lease())
                                .maxProcessingTime(circumstances.processing())
                                .inFlightWait(Duration.ofMillis(500))
                                .onMissingId(circumstances.onMissingId())
                                .missingIdLimit(10_000) // else a process without any ID waits for one, as documented
                                .maxDeaths(circumstances.maxDeaths())
                                .maxDeferDelay(Duration.ofSeconds(2)))
                .build();
        this.handler = new DrawnHandler(world, this);
    }

    private void beforeStoreCall(String call) {
        if (!dead) {
            outage.before(call);
        }
    }

    String name() {
        return name;
    }

    Deduplicator dedup() {
        return dedup;
    }

    DrawnHandler handler() {
        return handler;
    }

    void consumes(Consumer it) {
        consumer = it;
    }

    boolean isDead() {
        return dead;
    }

    /** A dead process does nothing more. Its threads end as soon as they notice. */
    void mustLive() {
        if (dead) {
            throw new Died();
        }
    }

    void crash() {
        dead = true;
        store.kill();
        world.ledger.happened(Ledger.Kind.CRASHED, name);
        world.step(name + " dies");
    }

    /** Closes what it has opened. Of a dead process too: its threads must end, although nobody hears of it. */
    void close() {
        if (!dead) {
            world.step(name + " closes");
        }
        if (world.circumstances.closing() == RocketMqCircumstances.Closing.DEDUPLICATOR_FIRST) {
            dedup.close();
            world.ledger.happened(Ledger.Kind.CLOSED, name);
            consumer.close();
        } else {
            consumer.close();
            dedup.close();
            world.ledger.happened(Ledger.Kind.CLOSED, name);
        }
        if (!dead) {
            world.step(name + " is closed");
        }
        dead = true;
    }

    /** The process doesn't exist any more. */
    static final class Died extends Error {
        private static final long serialVersionUID = 1;

        Died() {
            super("the process has died", null, false, false);
        }
    }
}
