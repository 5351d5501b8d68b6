package io.dedup.schedules;

import io.dedup.DedupException;
import io.dedup.DedupKey;
import io.dedup.Deduplicator;
import io.dedup.adapter.Delivery;
import io.dedup.engine.Deduplicators;
import io.dedup.store.DedupStore;
import io.dedup.store.StoredRecord;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/** Messages of one topic, how often each took effect, and what the store knows of them. Thread-safe. */
final class Messages {
    static final Duration LONG_LEASE = Duration.ofSeconds(30);
    private static final String TOPIC = "orders";

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
    private final InMemoryDedupStore store =
            new InMemoryDedupStore(now::get, InMemoryDedupStore.DEFAULT_ATTEMPT_RETENTION);
    private final Map<DedupKey, Integer> effects = new ConcurrentHashMap<>();

    DedupStore store() {
        return store;
    }

    /** For the store, all leases end now. */
    void expire() {
        now.updateAndGet(before -> before.plus(LONG_LEASE.multipliedBy(2)));
    }

    /** @param inFlightWait how long a copy waits for the message that is being handled */
    static Deduplicator process(DedupStore store, Duration lease, Duration inFlightWait) {
        return Deduplicators.builder(store)
                .consumer("billing")
                .shutdownTimeout(Duration.ofSeconds(5))
                .topic(TOPIC, policy -> policy.lease(lease).inFlightWait(inFlightWait))
                .build();
    }

    Deduplicator process() {
        return process(store, LONG_LEASE, Duration.ZERO);
    }

    static DedupKey key(Deduplicator dedup, int message) {
        return dedup.key(TOPIC, "o-" + message);
    }

    static Delivery delivery(Deduplicator dedup, int message) {
        return Delivery.of(dedup.topic(TOPIC), "o-" + message, null, () -> "orders-0@" + message);
    }

    int effect(DedupKey key) {
        return effects.merge(key, 1, Integer::sum);
    }

    int effect(Delivery delivery) {
        return effect(Objects.requireNonNull(delivery.key()));
    }

    boolean isDone(DedupKey key) {
        return store.find(key)
                .filter(record -> record.state() == StoredRecord.State.DONE)
                .isPresent();
    }

    /** Each of these took effect once, if the scene asks for that, never twice, and no claim is left. */
    void check(Deduplicator dedup, int messages, boolean allHandled) {
        for (int i = 0; i < messages; i++) {
            DedupKey key = key(dedup, i);
            int times = effects.getOrDefault(key, 0);
            check(times <= 1 && (times == 1 || !allHandled), "message " + i + " took effect " + times + " times");
            check(isDone(key) == (times == 1), "effects " + times + ", record " + store.find(key));
            check(
                    store.find(key)
                            .filter(record -> record.state() == StoredRecord.State.PROCESSING)
                            .isEmpty(),
                    "a claim is left: " + store.find(key));
        }
    }

    static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    /** Runs these at once, and returns when all have ended. A deduplicator may refuse what comes after its close. */
    static void together(Runnable... actions) {
        List<Throwable> failures = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (Runnable action : actions) {
            threads.add(new Thread(() -> {
                try {
                    action.run();
                } catch (DedupException e) {
                    return; // it is closed
                } catch (Throwable e) {
                    synchronized (failures) {
                        failures.add(e);
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        if (!failures.isEmpty()) {
            throw new AssertionError(failures.get(0));
        }
    }
}
