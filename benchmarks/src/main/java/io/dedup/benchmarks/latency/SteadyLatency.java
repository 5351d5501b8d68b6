package io.dedup.benchmarks.latency;

import io.dedup.benchmarks.subject.HandlingStore;
import io.dedup.benchmarks.subject.MessageHandling;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * How long claim and completion of a message take at a steady rate, for all ways of a store in turns, so that other work of
 * the machine affects all of them.
 *
 * @param warmUp of each way
 * @param rounds turns of each way
 */
public record SteadyLatency(int perSecond, Duration warmUp, int rounds, Duration turn, Consumer<String> progress) {
    /** The times by way. */
    public Map<String, Percentiles> measure(HandlingStore store) throws InterruptedException {
        Map<String, Percentiles> all = new LinkedHashMap<>();
        for (Map.Entry<String, MessageHandling> way : store.ways().entrySet()) {
            run(way.getValue(), warmUp, new Percentiles());
        }
        for (int round = 1; round <= rounds; round++) {
            for (Map.Entry<String, MessageHandling> way : store.ways().entrySet()) {
                run(way.getValue(), turn, all.computeIfAbsent(way.getKey(), name -> new Percentiles()));
            }
            progress.accept(store.name() + ": steady load, round " + round + " of " + rounds);
        }
        return all;
    }

    private void run(MessageHandling way, Duration time, Percentiles times) throws InterruptedException {
        runUntil(System.nanoTime() + time.toNanos(), new SteadyLoad(way, perSecond), times);
    }

    /**
     * Adds the times of a load until some time.
     *
     * @param end as {@link System#nanoTime}
     */
    public static void runUntil(long end, SteadyLoad load, Percentiles times) throws InterruptedException {
        load.run(due -> due - end >= 0, new Times(times));
    }

    /** Nothing may be refused. */
    private record Times(Percentiles times) implements SteadyLoad.Watcher {
        @Override
        public void handled(long due, long at) {
            synchronized (times) {
                times.add(at - due);
            }
        }

        @Override
        public void refused(long due, long at, RuntimeException cause) {
            throw cause;
        }
    }
}
