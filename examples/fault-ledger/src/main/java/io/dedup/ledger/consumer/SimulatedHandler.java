package io.dedup.ledger.consumer;

import io.dedup.ledger.plan.Contender;
import io.dedup.ledger.plan.Message;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;

/** What a handler does with a message. Thread-safe. */
public final class SimulatedHandler {
    /** Makes a message take effect. The attempt is 0 if it is unknown. */
    @FunctionalInterface
    public interface Effect {
        void take(String id, int attempt);
    }

    private final Effect effect;
    private final boolean rollsBack;
    private final Map<String, Integer> failed = new ConcurrentHashMap<>();

    /** @param rollsBack whether an effect before a failure is undone */
    public SimulatedHandler(Effect effect, boolean rollsBack) {
        this.effect = effect;
        this.rollsBack = rollsBack;
    }

    /** @throws RuntimeException where the message says so */
    public void run(Message message, int attempt) {
        begin(message, attempt);
        finish(message, attempt);
    }

    /** What may fail. */
    void begin(Message message, int attempt) {
        if (message.poison()) {
            throw new PoisonException();
        }
        work(message.before());
        if (fails(message)) {
            if (rollsBack) {
                effect.take(message.id(), attempt);
            }
            throw new IllegalStateException("fails this time");
        }
    }

    /** The effect. */
    void finish(Message message, int attempt) {
        effect.take(message.id(), attempt);
        work(message.after());
    }

    /** Several effects, one after the other. What may fail does so before the last one. */
    void runSteps(Message message, int attempt, Contender row, BiConsumer<String, Runnable> step) {
        if (message.poison()) {
            throw new PoisonException();
        }
        for (int number = 1; number <= row.effects(); number++) {
            if (number == row.effects()) {
                work(message.before());
                if (fails(message)) {
                    throw new IllegalStateException("fails this time");
                }
            }
            String id = row.effectId(message.id(), number);
            step.accept("effect-" + number, () -> effect.take(id, attempt));
        }
        work(message.after());
    }

    private boolean fails(Message message) {
        boolean fails = failed.getOrDefault(message.id(), 0) < message.failures();
        if (fails) {
            failed.merge(message.id(), 1, Integer::sum);
        }
        return fails;
    }

    private static void work(Duration time) {
        long until = System.nanoTime() + time.toNanos();
        long left;
        while ((left = until - System.nanoTime()) > 0) {
            LockSupport.parkNanos(left);
        }
    }
}
