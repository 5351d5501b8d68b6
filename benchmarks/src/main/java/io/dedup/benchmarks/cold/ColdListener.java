package io.dedup.benchmarks.cold;

import io.dedup.benchmarks.kafka.LeasedListeners;
import io.dedup.benchmarks.kafka.ListenerBench;
import io.dedup.benchmarks.measure.Usage;
import io.dedup.benchmarks.redis.ByHandKeys;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.testservers.ParentWatch;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/** Reads a topic to its end with one listener, and reports what the process has used after each so many records. */
public final class ColdListener {
    private static final Duration LONGEST = Duration.ofMinutes(5);

    private final Usage usage = new Usage();
    private int next = 1;

    private ColdListener() {}

    /**
     * Starts it.
     *
     * @param arguments the broker's address, the port of Redis, the number of records and the listener's name
     */
    public static void main(String... arguments) {
        ParentWatch.start();
        int port = Integer.parseInt(arguments[1]);
        int records = Integer.parseInt(arguments[2]);
        ListenerBench bench = new ListenerBench(arguments[0], records, LONGEST, new ColdListener()::passed);
        try (RedisDedupStore store = RedisDedupStore.builder()
                        .uri("redis://127.0.0.1:" + port)
                        .build();
                ByHandKeys byHand = ByHandKeys.leased(port)) {
            Objects.requireNonNull(
                            LeasedListeners.on(bench, store, byHand, Map.of()).get(arguments[3]))
                    .recordsPerSecond(Duration.ZERO);
        }
    }

    private void passed(int count) {
        if (count >= next) {
            System.out.println(new ColdReport(count, System.nanoTime(), usage.cpuNanos(), usage.bytes()).line());
            next = next == 1 ? ColdReport.STEP : next + ColdReport.STEP;
        }
    }
}
