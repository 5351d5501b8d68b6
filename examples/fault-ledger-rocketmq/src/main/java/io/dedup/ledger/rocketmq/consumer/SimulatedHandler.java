package io.dedup.ledger.rocketmq.consumer;

import io.dedup.ledger.plan.Message;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** What a handler does with a message. Thread-safe. */
final class SimulatedHandler {
    /** Has the effect of a message. The attempt is 0 where it is unknown. */
    @FunctionalInterface
    interface Effect {
        void take(String id, int attempt);
    }

    private final Effect effect;
    private final boolean rollsBack;
    private final Map<String, Integer> failed = new ConcurrentHashMap<>();

    /** @param rollsBack whether an effect before a failure is undone */
    SimulatedHandler(Effect effect, boolean rollsBack) {
        this.effect = effect;
        this.rollsBack = rollsBack;
    }

    void run(Message message, int attempt) {
        if (message.poison()) {
            throw new IllegalStateException("poison");
        }
        work(message.before());
        if (message.failures() > 0 && failed.merge(message.id(), 1, Integer::sum) <= message.failures()) {
            if (rollsBack) {
                effect.take(message.id(), attempt);
            }
            throw new IllegalStateException("fails this time");
        }
        effect.take(message.id(), attempt);
        work(message.after());
    }

    private static void work(Duration time) {
        long until = System.nanoTime() + time.toNanos();
        long left;
        while ((left = until - System.nanoTime()) > 0) {
            LockSupport.parkNanos(left);
        }
    }
}
