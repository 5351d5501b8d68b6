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
 * Catches acks before the effect. Effects are asked for after the broker has told what is acked: whatever was acked then
 * and has no effect yet, was acked too early. Misses those whose effect is quick enough; never blames a correct listener
 * whose effects can be seen as soon as they are durable.
 */
final class EarlyAcks {
    private final @Nullable Supplier<? extends Collection<String>> effects;
    private final Set<String> tookEffect = new HashSet<>();
    private final Map<String, String> found = new HashMap<>();

    EarlyAcks(@Nullable Supplier<? extends Collection<String>> effects) {
        this.effects = effects;
    }

    /** Looks at messages that the broker has told to be acked a moment ago. */
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

    /** By ID, the place of the message that was acked. */
    Map<String, String> found() {
        return found;
    }

    /**
     * Handlers' effects are in no transaction of the test's. A test's own transaction may have a snapshot from before the
     * replay: so the question is asked on another thread, where there is none.
     */
    private static Collection<String> elsewhere(Supplier<? extends Collection<String>> effects) {
        FutureTask<Collection<String>> question = new FutureTask<>(() -> List.copyOf(effects.get()));
        Thread thread = new Thread(question, "replay-effects");
        thread.setDaemon(true);
        thread.start();
        try {
            return question.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("the effects can't be looked up: " + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while effects were looked up", e);
        }
    }

    /** How often each ID took effect; null where effects weren't given. */
    static @Nullable Map<String, Integer> count(@Nullable Supplier<? extends Collection<String>> effects) {
        if (effects == null) {
            return null;
        }
        Map<String, Integer> counts = new HashMap<>();
        elsewhere(effects).forEach(id -> counts.merge(id, 1, Integer::sum));
        return counts;
    }
}
