package io.dedup.benchmarks.latency;

import io.dedup.benchmarks.jdbc.PurgeBed;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * How long single claims take while a purge runs, and how long they take on the same table while it doesn't: by turns, so
 * that whatever else the machine does meets both.
 */
public final class PurgeLatency {
    private static final Duration WARM_UP = Duration.ofSeconds(10);
    private static final Duration TURN = Duration.ofSeconds(5);
    private static final int TELL_EVERY = 10;

    private final Consumer<String> progress;

    public PurgeLatency(Consumer<String> progress) {
        this.progress = progress;
    }

    /**
     * What was found.
     *
     * @param idle single claims while no purge ran
     * @param during while one did
     * @param took the time of the purge, without the turns in which it didn't run
     */
    public record Figures(String store, int records, Duration took, Percentiles idle, Percentiles during) {
        /** At 99 per cent, during the purge by idle. */
        public double ratio() {
            return during.at(0.99) / idle.at(0.99);
        }
    }

    /** Fills the table, and measures until nothing expired is left. */
    public Figures measure(PurgeBed bed, int records, int perSecond) {
        long from = System.nanoTime();
        bed.fillExpired(records);
        tell(bed, "%,d expired records written in %.0f s", records, (System.nanoTime() - from) / 1e9);
        SteadyClaims claims = new SteadyClaims(bed.store(), perSecond);
        claims.run(WARM_UP, new Percentiles());
        Percentiles idle = new Percentiles();
        Percentiles during = new Percentiles();
        int turns = 0;
        do {
            claims.run(TURN, idle);
            try (JdbcDedupStore purging = bed.purging()) {
                purging.ping();
                claims.run(TURN, during);
            }
            turns++;
            if (turns % TELL_EVERY == 0) {
                tell(bed, "%d turns; idle %s µs, during the purge %s µs", turns, idle.micros(), during.micros());
            }
        } while (!bed.isPurged());
        return new Figures(bed.name(), records, TURN.multipliedBy(turns), idle, during);
    }

    private void tell(PurgeBed bed, String format, Object... values) {
        progress.accept(bed.name() + ": " + String.format(Locale.ROOT, format, values));
    }
}
