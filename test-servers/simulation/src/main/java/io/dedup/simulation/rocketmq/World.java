package io.dedup.simulation.rocketmq;

import io.dedup.simulation.draw.Draws;
import io.dedup.simulation.judge.Ledger;
import io.dedup.simulation.threads.Schedule;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What all parts of one run share: the draws, the clock, the time line and the ledger. Used by one simulated thread at a time. */
final class World {
    final RocketMqCircumstances circumstances;
    final Draws draws;
    final Schedule schedule = Schedule.current();
    final Ledger ledger;
    private final List<String> steps;
    private final Map<String, Integer> counts = new HashMap<>();
    private final long begin = schedule.nanoTime();

    World(RocketMqCircumstances circumstances, Draws draws, List<String> steps) {
        this.circumstances = circumstances;
        this.draws = draws;
        this.steps = steps;
        this.ledger = new Ledger(this::now, this::step, circumstances.processing());
    }

    long now() {
        return schedule.nanoTime();
    }

    void step(String step) {
        steps.add(String.format(Locale.ROOT, "%8.3f %s", (now() - begin) / 1e9, step));
    }

    List<String> steps() {
        return List.copyOf(steps);
    }

    /** The how manieth time this happens. */
    int count(String what) {
        return counts.merge(what, 1, Integer::sum);
    }

    void sleep(Duration time) {
        schedule.sleep(time);
    }

    /** The kind of fault that this call meets; null if none. */
    @Nullable
    Fault fault(List<Fault> kinds, String call) {
        return draws.happening(kinds, "at " + call + " " + count(call));
    }

    /** What a broker does wrong. */
    enum Fault {
        /** A request isn't executed. */
        RECEIVE_FAILS,
        /** A request is executed, and its answer is lost. */
        RECEIVE_ANSWER_LOST,
        RECEIVE_EMPTY,
        ACK_FAILS,
        ACK_ANSWER_LOST,
        /** A request is executed seconds later, and answered then. */
        ACK_LATE,
        CHANGE_FAILS,
        CHANGE_ANSWER_LOST,
        CHANGE_LATE,
        /** The older client: a message isn't sent back. */
        SEND_BACK_FAILS,
        SEND_BACK_ANSWER_LOST;

        static final List<Fault> AT_RECEIVE = List.of(RECEIVE_FAILS, RECEIVE_ANSWER_LOST, RECEIVE_EMPTY);
        static final List<Fault> AT_ACK = List.of(ACK_FAILS, ACK_ANSWER_LOST, ACK_LATE);
        static final List<Fault> AT_CHANGE = List.of(CHANGE_FAILS, CHANGE_ANSWER_LOST, CHANGE_LATE);
        static final List<Fault> AT_SEND_BACK = List.of(SEND_BACK_FAILS, SEND_BACK_ANSWER_LOST);
    }
}
