package io.dedup.testkit.plan;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/**
 * The faults of a plan in their order, and the messages that are sent meanwhile. Depends on the settings only.
 *
 * @param steps the steps, one after the other
 * @param last the messages that are sent after the last step
 */
record DrawnPlan(List<Step> steps, List<Send> last) {
    /** The number of processes of the application. */
    static final int PROCESSES = 2;

    private static final int MAX_MOMENT_MILLIS = 400;
    private static final int TAIL_MILLIS = 400;
    private static final int BURST_MILLIS = 60;

    /**
     * One fault, and the messages that are sent around it.
     *
     * @param moment the time from its first message to the fault
     * @param length the duration of the fault; zero if it is over at once
     * @param victim the affected process, if the fault affects one
     * @param choice selects a variant of the fault, and a store
     */
    record Step(Fault fault, Duration moment, Duration length, int victim, int choice, List<Send> sends) {}

    /**
     * One message, or a copy of it.
     *
     * @param number the message's number
     * @param at milliseconds after the beginning of its step
     * @param place selects the partition, if the message may go to any
     */
    record Send(int number, int at, int place) {}

    static DrawnPlan of(PlanSettings settings) {
        Random random = new Random(settings.seed());
        List<Step> steps = steps(settings, random);
        int chunks = steps.size() + 1;
        List<List<Send>> sends = new ArrayList<>();
        for (int i = 0; i < chunks; i++) {
            sends.add(new ArrayList<>());
        }
        for (int number = 0; number < settings.messages(); number++) {
            int chunk = (int) ((long) number * chunks / settings.messages());
            Send first = new Send(number, moment(steps, chunk, random), place(random));
            sends.get(chunk).add(first);
            if (settings.faults().contains(Fault.COPIES) && random.nextInt(4) == 0) {
                again(first, chunk, steps, sends, random);
            }
        }
        if (settings.faults().contains(Fault.COPIES)) {
            replay(settings.messages(), sends.get(chunks - 1), random);
        }
        sends.forEach(each -> each.sort(Comparator.comparingInt(Send::at))); // stable: a copy stays behind its first
        List<Step> complete = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            Step step = steps.get(i);
            complete.add(new Step(
                    step.fault(),
                    step.moment(),
                    step.length(),
                    step.victim(),
                    step.choice(),
                    List.copyOf(sends.get(i))));
        }
        return new DrawnPlan(List.copyOf(complete), List.copyOf(sends.get(chunks - 1)));
    }

    private static List<Step> steps(PlanSettings settings, Random random) {
        List<Fault> timed = settings.faults().stream()
                .filter(fault -> fault != Fault.COPIES)
                .sorted()
                .toList();
        List<Step> steps = new ArrayList<>();
        int victim = random.nextInt(PROCESSES);
        for (int round = 0; round < settings.times(); round++) {
            List<Fault> shuffled = new ArrayList<>(timed);
            Collections.shuffle(shuffled, random);
            for (Fault fault : shuffled) {
                steps.add(new Step(
                        fault,
                        Duration.ofMillis(BURST_MILLIS + random.nextInt(MAX_MOMENT_MILLIS)),
                        length(fault, settings.longest(), random),
                        victim,
                        place(random),
                        List.of()));
                if (fault.hitsProcess()) {
                    victim = (victim + 1) % PROCESSES;
                }
            }
        }
        return steps;
    }

    /** Only a long pause has consequences: leases and sessions must expire. */
    private static Duration length(Fault fault, Duration longest, Random random) {
        if (fault == Fault.KILL) {
            return Duration.ZERO;
        }
        int millis = Math.toIntExact(longest.toMillis());
        int least = fault == Fault.PAUSE ? millis * 3 / 4 : millis / 4;
        return Duration.ofMillis(least + random.nextInt(millis - least));
    }

    /** Every second message is sent shortly before the fault, so that the fault interrupts work in progress. */
    private static int moment(List<Step> steps, int chunk, Random random) {
        if (chunk == steps.size()) {
            return random.nextInt(TAIL_MILLIS);
        }
        int fault = (int) steps.get(chunk).moment().toMillis();
        return random.nextBoolean() ? fault - random.nextInt(BURST_MILLIS) : random.nextInt(end(steps.get(chunk)));
    }

    private static int end(Step step) {
        return (int) step.moment().plus(step.length()).toMillis() + TAIL_MILLIS;
    }

    /** Sends the copy at the same time, later in this step, or in a later step. */
    private static void again(Send first, int chunk, List<Step> steps, List<List<Send>> sends, Random random) {
        int when = random.nextInt(3);
        if (when == 0) {
            sends.get(chunk).add(new Send(first.number(), first.at(), place(random)));
        } else if (when == 1) {
            int end = chunk == steps.size() ? TAIL_MILLIS : end(steps.get(chunk));
            int later = first.at() + random.nextInt(Math.max(1, end - first.at()));
            sends.get(chunk).add(new Send(first.number(), later, place(random)));
        } else {
            int later = Math.min(chunk + 1 + random.nextInt(sends.size()), sends.size() - 1);
            int at = later == chunk ? first.at() : moment(steps, later, random);
            sends.get(later).add(new Send(first.number(), at, place(random)));
        }
    }

    /** Sends a tenth of all messages once more, after everything else. */
    private static void replay(int messages, List<Send> last, Random random) {
        for (int i = 0; i < (messages + 9) / 10; i++) {
            last.add(new Send(random.nextInt(messages), TAIL_MILLIS, place(random)));
        }
    }

    private static int place(Random random) {
        return random.nextInt(Integer.MAX_VALUE);
    }
}
