package io.dedup.testkit.replay;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Detects acknowledgments before the effect. It reads the effects after the broker has reported the acknowledgments: a
 * message that was acknowledged and has no effect yet was acknowledged too early. It misses cases in which the effect
 * follows quickly enough, but never blames a correct listener whose effects are visible as soon as they are durable.
 */
final class EarlyAcks {
    private final @Nullable Supplier<? extends Collection<String>> effects;
    private final Set<String> tookEffect = new HashSet<>();
    private final Map<String, String> found = new HashMap<>();

    EarlyAcks(@Nullable Supplier<? extends Collection<String>> effects) {
        this.effects = effects;
    }

    /** Checks messages that the broker has just reported as acknowledged. */
    void look(List<TopicMessage> acked) {
        List<TopicMessage> open = acked.stream()
                .filter(message -> message.id() != null && !tookEffect.contains(message.id()))
                .toList();
        Map<String, Integer> counts = open.isEmpty() ? null : count(effects);
        if (counts == null) {
            return;
        }
        tookEffect.addAll(counts.keySet());
        for (TopicMessage message : open) {
            if (message.id() != null && !counts.containsKey(message.id())) {
                found.putIfAbsent(message.id(), message.place());
            }
        }
    }

    /** For each ID, the position of the message that was acknowledged too early. */
    Map<String, String> found() {
        return found;
    }

    /**
     * Handlers' effects aren't part of the test's transactions, and the test's own transaction may have a snapshot from
     * before the replay. Therefore effects are read on another thread, without a transaction.
     */
    private static Collection<String> elsewhere(Supplier<? extends Collection<String>> effects) {
        FutureTask<Collection<String>> question = new FutureTask<>(() -> List.copyOf(effects.get()));
        Thread thread = new Thread(question, "replay-effects");
        thread.setDaemon(true);
        thread.start();
        try {
            return question.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("Cannot read the effects: " + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while reading the effects", e);
        }
    }

    /** How often each ID took effect; null if effects cannot be counted. */
    static @Nullable Map<String, Integer> count(@Nullable Supplier<? extends Collection<String>> effects) {
        if (effects == null) {
            return null;
        }
        Map<String, Integer> counts = new HashMap<>();
        elsewhere(effects).forEach(id -> counts.merge(id, 1, Integer::sum));
        return counts;
    }
}
