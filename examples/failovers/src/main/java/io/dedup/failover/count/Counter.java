package io.dedup.failover.count;

import io.dedup.failover.plan.Effect;
import io.dedup.failover.plan.Outage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts one pass. Not thread-safe. */
public final class Counter {
    private static final Logger log = LoggerFactory.getLogger(Counter.class);

    private final Collection<String> sent;
    private final long copies;
    private final List<Outage> outages;
    private final Map<String, List<Effect>> byMessage = new HashMap<>();
    private final List<Effect> unexplained = new ArrayList<>();

    /** @param sent IDs that the broker has */
    public Counter(Collection<String> sent, long copies, List<Outage> outages) {
        this.sent = sent;
        this.copies = copies;
        this.outages = outages;
    }

    /**
     * Counts.
     *
     * @param effects all that there are in the end
     * @param lostByServer which of the messages without an effect the server lost
     * @param consumed whether everything was acknowledged, so that what has no effect is lost
     */
    public Count count(List<Effect> effects, UnaryOperator<Set<String>> lostByServer, boolean consumed) {
        List<Effect> ordered = effects.stream()
                .sorted(Comparator.comparingLong(Effect::millis))
                .toList();
        ordered.forEach(effect ->
                byMessage.computeIfAbsent(effect.id(), any -> new ArrayList<>()).add(effect));
        Set<String> missing =
                sent.stream().filter(id -> !byMessage.containsKey(id)).collect(Collectors.toSet());
        int gone = lostByServer.apply(missing).size();
        int without = missing.size() - gone;
        int doubled = 0;
        int told = 0;
        int forgotten = 0;
        for (List<Effect> ofMessage : byMessage.values()) {
            doubled += ofMessage.size() - 1;
            // The earlier run may have had its effect later.
            int attempts = (int)
                    ofMessage.stream().filter(effect -> effect.attempt() > 1).count();
            int toldHere = Math.min(attempts, ofMessage.size() - 1);
            told += toldHere;
            forgotten += forgotten(ofMessage, ofMessage.size() - 1 - toldHere);
        }
        return new Count(
                outages.size(),
                sent.size(),
                copies,
                effects.size(),
                consumed ? without : 0,
                gone,
                doubled,
                told,
                forgotten,
                consumed ? 0 : without,
                longestPause(ordered));
    }

    /** Repeated effects that neither an attempt nor a failover explains. */
    public List<Effect> unexplained() {
        return List.copyOf(unexplained);
    }

    private int forgotten(List<Effect> ofMessage, int atMost) {
        int found = 0;
        for (int i = 1; i < ofMessage.size() && found < atMost; i++) {
            Effect before = ofMessage.get(i - 1);
            Effect again = ofMessage.get(i);
            Optional<Outage> outage = outages.stream()
                    .filter(candidate -> candidate.explains(before, again))
                    .findFirst();
            if (outage.isPresent()) {
                found++;
                log.debug(
                        "forgotten by {}: {}, {} ms after its begin, and again {} ms after it",
                        outage.get(),
                        before,
                        before.millis() - outage.get().begin(),
                        again.millis() - outage.get().begin());
            } else if (again.attempt() <= 1) {
                unexplained.add(before);
                unexplained.add(again);
            }
        }
        return found;
    }

    private static long longestPause(List<Effect> ordered) {
        long longest = 0;
        for (int i = 1; i < ordered.size(); i++) {
            longest = Math.max(
                    longest, ordered.get(i).millis() - ordered.get(i - 1).millis());
        }
        return longest;
    }
}
