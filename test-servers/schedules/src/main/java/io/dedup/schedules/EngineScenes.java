package io.dedup.schedules;

import io.dedup.DedupCall;
import io.dedup.DedupHandler;
import io.dedup.DedupKey;
import io.dedup.Deduplicator;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** Callers of a deduplicator, its heartbeat, its background writes, and its end. */
final class EngineScenes {
    private static final Duration WAIT = Duration.ofMillis(100);

    private EngineScenes() {}

    static Map<String, Runnable> all() {
        return Map.of(
                "copies", EngineScenes::copies,
                "failure", EngineScenes::failure,
                "outage", EngineScenes::outage,
                "two-processes", EngineScenes::twoProcesses,
                "close", EngineScenes::close,
                "async-close", EngineScenes::asyncClose,
                "lost-answer", EngineScenes::lostAnswer,
                "lost-claim", EngineScenes::lostClaim);
    }

    /** Copies of one message in one process, some of which wait for the first. */
    private static void copies() {
        Messages messages = new Messages();
        try (Deduplicator dedup = Messages.process(messages.store(), Messages.LONG_LEASE, WAIT)) {
            DedupKey key = Messages.key(dedup, 0);
            Runnable delivery = () -> dedup.execute(key, context -> messages.effect(key));
            Messages.together(delivery, delivery, delivery);
            messages.check(dedup, 1, true);
        }
    }

    /** A copy arrives while the first one fails: whatever may be acknowledged has taken effect. */
    private static void failure() {
        Messages messages = new Messages();
        AtomicBoolean failed = new AtomicBoolean();
        try (Deduplicator one = messages.process();
                Deduplicator other = Messages.process(messages.store(), Messages.LONG_LEASE, WAIT)) {
            DedupKey key = Messages.key(one, 0);
            DedupHandler<Integer, RuntimeException> handler = context -> {
                if (failed.compareAndSet(false, true)) {
                    throw new IllegalStateException("planned: the first try fails");
                }
                return messages.effect(key);
            };
            Messages.together(
                    () -> acknowledgeIfHandled(one, key, handler, messages),
                    () -> acknowledgeIfHandled(other, key, handler, messages));
            messages.check(one, 1, false);
        }
    }

    private static void acknowledgeIfHandled(
            Deduplicator dedup, DedupKey key, DedupHandler<Integer, RuntimeException> handler, Messages messages) {
        boolean mayAck;
        try {
            mayAck = dedup.execute(key, handler).mayAck();
        } catch (IllegalStateException e) {
            mayAck = false; // planned
        }
        Messages.check(!mayAck || messages.isDone(key), "acknowledged, and not handled");
    }

    /** The store takes no completion until the lease has ended, and gives copies the claim: this process knows better. */
    private static void outage() {
        Messages messages = new Messages();
        Deduplicator dedup = Messages.process(
                FailingStore.of(messages.store(), "complete", 2, false, messages::expire),
                Messages.LONG_LEASE,
                Duration.ZERO);
        DedupKey key = Messages.key(dedup, 0);
        Runnable deliveries = () -> {
            for (int i = 0; i < 2; i++) {
                dedup.execute(key, context -> messages.effect(key));
            }
        };
        Messages.together(deliveries, deliveries);
        dedup.close();
        messages.check(dedup, 1, true);
    }

    /** Copies in two processes. */
    private static void twoProcesses() {
        Messages messages = new Messages();
        try (Deduplicator one = messages.process();
                Deduplicator other = Messages.process(messages.store(), Messages.LONG_LEASE, WAIT)) {
            DedupKey key = Messages.key(one, 0);
            Messages.together(
                    () -> one.execute(key, context -> messages.effect(key)),
                    () -> other.execute(key, context -> messages.effect(key)));
            messages.check(one, 1, true);
        }
    }

    /** After a close no handler begins, and what has ended is recorded. */
    private static void close() {
        Messages messages = new Messages();
        Deduplicator dedup = messages.process();
        DedupKey key = Messages.key(dedup, 0);
        AtomicBoolean closed = new AtomicBoolean();
        Messages.together(
                () -> dedup.execute(key, context -> {
                    Messages.check(!closed.get(), "a handler begins after the close");
                    return messages.effect(key);
                }),
                () -> {
                    dedup.close();
                    closed.set(true);
                });
        messages.check(dedup, 1, false);
    }

    /** Work that ends on another thread while the deduplicator is closed. */
    private static void asyncClose() {
        Messages messages = new Messages();
        Deduplicator dedup = messages.process();
        DedupKey key = Messages.key(dedup, 0);
        CompletableFuture<String> work = new CompletableFuture<>();
        Messages.together(
                () -> {
                    var unused = dedup.executeAsync(DedupCall.of(key), context -> {
                        messages.effect(key);
                        return work;
                    });
                },
                () -> work.complete("charged"),
                dedup::close);
        messages.check(dedup, 1, false);
    }

    /** The store doesn't answer a completion. It is sent again in the background, copies arrive meanwhile, and the close waits. */
    private static void lostAnswer() {
        losingAnswers("complete");
    }

    /** The store doesn't answer a claim: it may have been made. */
    private static void lostClaim() {
        losingAnswers("claim");
    }

    private static void losingAnswers(String call) {
        Messages messages = new Messages();
        Deduplicator dedup = Messages.process(
                FailingStore.of(messages.store(), call, 1, true, () -> {}), Messages.LONG_LEASE, Duration.ZERO);
        DedupKey key = Messages.key(dedup, 0);
        Runnable delivery = () -> dedup.execute(key, context -> messages.effect(key));
        Messages.together(delivery, delivery);
        dedup.close();
        messages.check(dedup, 1, false);
    }
}
