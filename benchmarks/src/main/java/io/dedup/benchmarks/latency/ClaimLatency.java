package io.dedup.benchmarks.latency;

import io.dedup.benchmarks.subject.PrefilledStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Compares stores that hold few and many IDs, in turns. A server for each size, since a server's size is that of all it
 * holds.
 */
public final class ClaimLatency {
    private static final List<Integer> SIZES = List.of(10_000, 1_000_000, 10_000_000);
    private static final int ROUNDS = 20;
    private static final int SINGLES = 500;
    private static final int BATCHES = 10;
    private static final int WARM_UP = 4;

    /** A store that would grow by a large part of itself in a round is emptied and filled again before each. */
    private static final int REFILL_UP_TO = 100_000;

    private final Consumer<String> progress;

    public ClaimLatency(Consumer<String> progress) {
        this.progress = progress;
    }

    /**
     * Measures one kind of store.
     *
     * @param maxIds the largest size to look at
     * @return a row for each size: store, size, single claims, batch claims, and both medians by those of the smallest
     */
    public List<List<String>> measure(Supplier<PrefilledStore> newStore, int maxIds) {
        List<ClaimProbe> probes = new ArrayList<>();
        try {
            for (int size : SIZES) {
                if (size <= maxIds) {
                    probes.add(filled(newStore.get(), size));
                }
            }
            rounds(probes);
            return rows(probes);
        } finally {
            probes.forEach(probe -> probe.filled().close());
        }
    }

    private ClaimProbe filled(PrefilledStore filled, int size) {
        long from = System.nanoTime();
        try {
            filled.fill(size);
        } catch (RuntimeException e) {
            filled.close();
            throw e;
        }
        progress.accept(String.format(
                Locale.ROOT, "%s: %,d IDs stored in %.0f s", filled.name(), size, (System.nanoTime() - from) / 1e9));
        return new ClaimProbe(filled, size);
    }

    private void rounds(List<ClaimProbe> probes) {
        for (int i = 0; i < WARM_UP; i++) {
            probes.forEach(probe -> round(probe, false));
        }
        for (int i = 1; i <= ROUNDS; i++) {
            probes.forEach(probe -> round(probe, true));
            if (i % (ROUNDS / 4) == 0) {
                progress.accept(probes.get(0).filled().name() + ": latency, round " + i + " of " + ROUNDS);
            }
        }
    }

    private static void round(ClaimProbe probe, boolean measured) {
        if (probe.size() <= REFILL_UP_TO) {
            probe.filled().clear();
            probe.filled().fill(probe.size());
        }
        probe.single(SINGLES, measured);
        probe.batch(BATCHES, measured);
    }

    private static List<List<String>> rows(List<ClaimProbe> probes) {
        List<List<String>> rows = new ArrayList<>();
        ClaimProbe least = probes.get(0);
        for (ClaimProbe probe : probes) {
            rows.add(List.of(
                    probe.filled().name(),
                    String.format(Locale.ROOT, "%,d", probe.size()),
                    probe.singles().micros(),
                    times(probe.singles().median(), least.singles().median()),
                    probe.batches().micros(),
                    times(probe.batches().median(), least.batches().median())));
        }
        return rows;
    }

    private static String times(double mine, double least) {
        return String.format(Locale.ROOT, "%.2f", mine / least);
    }
}
