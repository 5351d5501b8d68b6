package io.dedup.kafka.internal.claimahead;

import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.internal.PollBudget;
import io.dedup.kafka.internal.Timer;
import io.dedup.kafka.internal.record.RecordDeliveries;
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
public final class PollHooks implements AutoCloseable {
    private final Map<Thread, WatchedPolls> watched = new ConcurrentHashMap<>();
    private final Set<ConsumerFactory<?, ?>> factories = ConcurrentHashMap.newKeySet();
    private final Timer timer;
    private final ExecutorService background = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "dedup-kafka-store");
        thread.setDaemon(true);
        return thread;
    });

    public PollHooks(Timer timer) {
        this.timer = timer;
    }

    /** From now on this factory's consumers can be watched. */
    public <K, V> void install(ConsumerFactory<K, V> factory) {
        if (factories.add(factory)) {
            ConsumerPostProcessor<K, V> wrap = consumer -> HookedConsumer.around(consumer, this);
            factory.addPostProcessor(wrap);
        }
    }

    @Nullable
    WatchedPolls ofThread() {
        return watched.get(Thread.currentThread());
    }

    /**
     * Watches this thread's consumer from its first poll on.
     *
     * @param claims what is claimed before its turn
     */
    public WatchedPolls bind(ClaimedPoll claims, ConsumerSeekCallback seeks) {
        WatchedPolls polls = new WatchedPolls(claims);
        if (HookedConsumer.isBare(seeks)) {
            return polls;
        }
        HookedConsumer own = HookedConsumer.of(seeks, this);
        if (own != null) {
            polls.watch(own);
        }
        watched.keySet().removeIf(thread -> !thread.isAlive()); // the end of some consumers isn't told
        watched.put(Thread.currentThread(), polls);
        return polls;
    }

    /**
     * Claims a consumer's records ahead. Successes are told to the store one by one where the handler's word commits them, and
     * where the consumer can't be watched.
     */
    public ClaimedPoll claimsAhead(
            ContainerProperties container,
            DedupAdapter engine,
            RecordDeliveries deliveries,
            Duration maxPollInterval,
            ConsumerSeekCallback seeks) {
        if (HookedConsumer.isBare(seeks)) {
            return ClaimedPoll.none(engine, deliveries);
        }
        QueuedCompletions completions = container.getAckMode() == AckMode.MANUAL_IMMEDIATE
                ? null
                : new QueuedCompletions(engine, background, timer, new PollBudget(maxPollInterval.dividedBy(2)));
        return new ClaimedPoll(engine, deliveries, completions, new WaitingClaims(engine, background, timer));
    }

    public void unbind() {
        WatchedPolls polls = watched.remove(Thread.currentThread());
        if (polls != null) {
            polls.end();
        }
    }

    @Override
    public void close() {
        background.shutdown();
    }
}
