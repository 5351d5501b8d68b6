package io.dedup.kafka;

import io.dedup.engine.DedupEngine;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.ConsumerPostProcessor;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;

/**
 * Lets decorated listeners see the polls and commits of their consumers. Consumers are found by their thread. Thread-safe.
 */
final class PollHooks implements AutoCloseable {
    private final Map<Thread, ClaimedPoll> claims = new ConcurrentHashMap<>();
    private final Set<ConsumerFactory<?, ?>> factories = ConcurrentHashMap.newKeySet();
    private final Timer timer;
    private final ExecutorService background = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "dedup-kafka-store");
        thread.setDaemon(true);
        return thread;
    });

    PollHooks(Timer timer) {
        this.timer = timer;
    }

    /** From now on this factory's consumers can be watched. */
    <K, V> void install(ConsumerFactory<K, V> factory) {
        if (factories.add(factory)) {
            ConsumerPostProcessor<K, V> wrap = consumer -> HookedConsumer.around(consumer, this);
            factory.addPostProcessor(wrap);
        }
    }

    @Nullable
    ClaimedPoll ofThread() {
        return claims.get(Thread.currentThread());
    }

    /**
     * This thread's consumer claims ahead from its first poll on. Successes are told to the store one by one where the
     * handler's word commits them.
     */
    ClaimedPoll bind(
            ContainerProperties container,
            DedupEngine engine,
            RecordDeliveries deliveries,
            Duration maxPollInterval,
            ConsumerSeekCallback seeks) {
        if (HookedConsumer.isBare(seeks)) {
            return ClaimedPoll.none(engine, deliveries);
        }
        QueuedCompletions completions = container.getAckMode() == AckMode.MANUAL_IMMEDIATE
                ? null
                : new QueuedCompletions(engine, background, timer, new PollBudget(maxPollInterval.dividedBy(2)));
        ClaimedPoll claimed =
                new ClaimedPoll(engine, deliveries, completions, new WaitingClaims(engine, background, timer));
        HookedConsumer own = HookedConsumer.of(seeks, this);
        if (own != null) {
            claimed.watch(own);
        }
        claims.keySet().removeIf(thread -> !thread.isAlive()); // the end of some consumers isn't told
        claims.put(Thread.currentThread(), claimed);
        return claimed;
    }

    void unbind() {
        ClaimedPoll claimed = claims.remove(Thread.currentThread());
        if (claimed != null) {
            claimed.end();
        }
    }

    @Override
    public void close() {
        background.shutdown();
    }
}
