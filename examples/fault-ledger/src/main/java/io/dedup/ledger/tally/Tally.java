package io.dedup.ledger.tally;

import io.dedup.ledger.plan.Contender;
import io.dedup.ledger.plan.Message;
import io.dedup.ledger.plan.RunSize;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** Counts what happened to the messages of one row. */
public final class Tally {
    private final Contender row;
    private final String combination;
    private final List<DataLoss> losses;
    private final ToLongFunction<String> firstSent;
    private final Map<String, List<Effect>> effects = new HashMap<>();
    private final List<Long> latencies = new ArrayList<>();
    private int doubled;
    private int recognizable;
    private int firstWarned;
    private int afterLoss;

    /**
     * @param combination under which circumstances, as people read them
     * @param losses when the store's data were deleted
     * @param firstSent when a message was sent first
     */
    public Tally(Contender row, String combination, List<DataLoss> losses, ToLongFunction<String> firstSent) {
        this.row = row;
        this.combination = combination;
        this.losses = losses;
        this.firstSent = firstSent;
    }

    /** Of a message that wasn't acknowledged. */
    public static Set<String> unacknowledged(Collection<SentCopy> copies, long[] committed) {
        Set<String> ids = new HashSet<>();
        for (SentCopy copy : copies) {
            if (copy.offset() >= committed[copy.partition()]) {
                ids.add(copy.id());
            }
        }
        return ids;
    }

    /**
     * The messages without those that were rejected because they had no ID; with them, if there are too many.
     *
     * @param early whether a message was sent while there were no IDs
     */
    public static List<Message> withoutRejected(
            List<Message> messages, List<Effect> counted, Set<String> dead, Predicate<String> early, int atMost) {
        Set<String> handled = counted.stream().map(Effect::id).collect(Collectors.toSet());
        Predicate<Message> rejected = message -> !message.poison()
                && dead.contains(message.id())
                && early.test(message.id())
                && !handled.contains(message.id());
        return messages.stream().filter(rejected).count() > atMost
                ? messages
                : messages.stream().filter(rejected.negate()).toList();
    }

    /**
     * @param counted in the order in which they happened
     * @param waiting messages of which a copy wasn't acknowledged
     * @param dead messages among the dead letters
     */
    public RowResult of(
            RunSize size,
            List<Message> messages,
            List<Effect> counted,
            Set<String> waiting,
            Set<String> dead,
            long roundTrips) {
        for (Effect effect : counted) {
            effects.computeIfAbsent(effect.id(), any -> new ArrayList<>()).add(effect);
        }
        int expected = 0;
        int lost = 0;
        int stuck = 0;
        int deadLettered = 0;
        for (Message message : messages) {
            expected += message.poison() ? 0 : 1;
            List<Effect> found = effects.getOrDefault(message.id(), List.of());
            if (!found.isEmpty()) {
                add(message.id(), found);
            } else if (dead.contains(message.id())) {
                deadLettered += message.poison() ? 0 : 1;
            } else if (waiting.contains(message.id())) {
                stuck++;
            } else {
                lost++;
            }
        }
        Collections.sort(latencies);
        return new RowResult(
                row,
                size,
                combination,
                LocalDate.now(ZoneId.systemDefault()),
                expected,
                counted.size(),
                lost,
                doubled,
                recognizable,
                firstWarned,
                afterLoss,
                stuck,
                deadLettered,
                percentile(50),
                percentile(99),
                (double) roundTrips / messages.size());
    }

    private void add(String id, List<Effect> found) {
        latencies.add(found.get(0).millis() - firstSent.applyAsLong(id));
        firstWarned += found.get(0).attempt() > 1 ? 1 : 0;
        int here = 0;
        for (Effect again : found.subList(1, found.size())) {
            if (row.forgets() && isAfterLoss(id, again)) {
                afterLoss++;
            } else {
                here++;
            }
        }
        // The higher attempt may have come first: a paused run ends later, with an earlier attempt.
        int attempts =
                (int) found.stream().filter(effect -> effect.attempt() > 1).count();
        doubled += here;
        recognizable += Math.min(attempts, here);
    }

    private boolean isAfterLoss(String id, Effect again) {
        long sent = firstSent.applyAsLong(id);
        return losses.stream().anyMatch(loss -> sent <= loss.end() && loss.begin() <= again.millis());
    }

    private long percentile(int percent) {
        return latencies.isEmpty() ? 0 : latencies.get((latencies.size() - 1) * percent / 100);
    }
}
