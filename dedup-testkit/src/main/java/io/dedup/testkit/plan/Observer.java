package io.dedup.testkit.plan;

import io.dedup.testkit.replay.TopicMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeatedly reads which messages are acknowledged, and then which took effect. It uses a separate thread, because the
 * test's transaction may have a snapshot from before the plan.
 */
final class Observer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Observer.class);
    private static final Duration INTERVAL = Duration.ofMillis(100);
    /** Slow queries are repeated less often. */
    private static final int REST = 5;

    private static final int LOOKS = 3;
    private static final Duration LAST_LOOK = Duration.ofSeconds(10);

    private final Traffic traffic;
    private final Effects effects;
    private final History history;
    private volatile boolean over;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread made = new Thread(work, "fault-plan-observer");
        made.setDaemon(true);
        return made;
    });

    /**
     * One observation.
     *
     * @param effects how often each message has taken effect
     * @param bySteps how often each of its steps has
     */
    record Look(List<TopicMessage> unacked, Map<String, Integer> effects, Effects.Counts bySteps) {}

    Observer(Traffic traffic, Effects effects, History history) {
        this.traffic = traffic;
        this.effects = effects;
        this.history = history;
    }

    void start() {
        next(INTERVAL.toNanos());
    }

    private void next(long nanos) {
        if (over) {
            return;
        }
        var unused = thread.schedule(this::lookAndGoOn, nanos, TimeUnit.NANOSECONDS);
    }

    private void lookAndGoOn() {
        if (over) {
            return;
        }
        long begin = System.nanoTime();
        try {
            look();
        } catch (
                RuntimeException
                        e) { // callers that wait for a result get the exception; this run was only for the time lines
            log.debug("Cannot read acknowledgments or effects", e);
        }
        next(Math.max(INTERVAL.toNanos(), REST * (System.nanoTime() - begin)));
    }

    /**
     * Reads acknowledgments first: an effect that is missing afterwards was missing when its message was acknowledged.
     */
    private Look look() {
        List<TopicMessage> sent = history.sent();
        List<TopicMessage> unacked = traffic.unacked(sent);
        Instant ackedAt = Instant.now();
        Effects.Counts bySteps = effects.count();
        Map<String, Integer> counts = bySteps.whole();
        Set<String> open = new HashSet<>();
        unacked.forEach(message -> open.add(message.place()));
        List<TopicMessage> acked =
                sent.stream().filter(each -> !open.contains(each.place())).toList();
        history.acked(acked, ackedAt);
        history.effects(counts, Instant.now());
        for (TopicMessage message : acked) {
            String id = message.id();
            if (id != null && !counts.containsKey(id)) {
                history.ackedEarly(id, message.place());
            }
        }
        return new Look(unacked, counts, bySteps);
    }

    /**
     * Reads now. A fault may have closed a connection that counts effects, which causes one exception; so it tries
     * again.
     */
    Look now() {
        for (int i = 1; i < LOOKS; i++) {
            try {
                return await(thread.submit(this::look));
            } catch (IllegalStateException e) {
                log.debug("Cannot read acknowledgments or effects", e);
                Pause.shortly();
            }
        }
        return await(thread.submit(this::look));
    }

    Effects.Counts effectsNow() {
        return await(thread.submit(effects::count));
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("Cannot read which messages are acknowledged or took effect", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while reading acknowledgments and effects", e);
        }
    }

    /** Returns when nothing is being read, so that what it reads from may be closed. */
    @Override
    public void close() {
        over = true;
        thread.shutdown();
        try {
            if (!thread.awaitTermination(LAST_LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
                log.warn(
                        "The effects(...) function of the fault plan is still running {} after the end of the plan",
                        LAST_LOOK);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
