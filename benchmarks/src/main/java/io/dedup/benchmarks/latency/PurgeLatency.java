package io.dedup.benchmarks.latency;

import io.dedup.benchmarks.jdbc.PurgedDatabase;
import io.dedup.benchmarks.measure.Spread;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * How long single claims take while a purge runs, and on the same table while none runs: in turns, so
 * that other work of the machine affects both.
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
     * @param left expired records that it hasn't deleted
     * @param ratios at 99 per cent, a turn with a purge by the turn before it, which had none
     */
    public record Figures(
            String store, int records, Duration took, long left, Percentiles idle, Percentiles during, Spread ratios) {}

    /**
     * Fills the table, and measures until nothing expired is left.
     *
     * @param batch how many records a batch of the purge deletes at most
     * @param most ends after so many turns of each kind
     */
    public Figures measure(PurgedDatabase database, int records, int perSecond, int batch, int most) {
        long from = System.nanoTime();
        database.fillExpired(records);
        tell(database, "%,d expired records written in %.0f s", records, (System.nanoTime() - from) / 1e9);
        SteadyClaims claims = new SteadyClaims(database.store(), perSecond);
        claims.run(WARM_UP, new Percentiles());
        Percentiles idle = new Percentiles();
        Percentiles during = new Percentiles();
        List<Double> ratios = new ArrayList<>();
        int turns = 0;
        do {
            double without = turn(claims, idle);
            try (JdbcDedupStore purging = database.purging(batch)) {
                purging.ping();
                ratios.add(turn(claims, during) / without);
            }
            turns++;
            if (turns % TELL_EVERY == 0) {
                tell(database, "%d turns; idle %s µs, during the purge %s µs", turns, idle.micros(), during.micros());
            }
        } while (turns < most && !database.isPurged());
        return new Figures(
                database.name(),
                records,
                TURN.multipliedBy(turns),
                database.expired(),
                idle,
                during,
                Spread.of(ratios.stream().mapToDouble(ratio -> ratio)));
    }

    private static double turn(SteadyClaims claims, Percentiles all) {
        Percentiles turn = new Percentiles();
        claims.run(TURN, turn);
        all.addAll(turn);
        return turn.at(99);
    }

    private void tell(PurgedDatabase database, String format, Object... values) {
        progress.accept(database.name() + ": " + String.format(Locale.ROOT, format, values));
    }
}
