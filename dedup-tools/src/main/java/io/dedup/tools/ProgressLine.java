package io.dedup.tools;

import io.dedup.migration.ImportReport;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/**
 * Shows the progress of an import: on a terminal a bar that is drawn again each half second, elsewhere a line each ten
 * seconds. Not thread-safe.
 */
final class ProgressLine implements Consumer<ImportReport> {
    private static final int WIDTH = 30;
    private static final long TERMINAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final PrintWriter out;
    private final DoubleSupplier fraction;
    private final boolean terminal;
    private final long start = System.nanoTime();
    private long shown = start;
    private boolean drawn;
    private ImportReport last = new ImportReport(0, 0, 0, 0, 0, 0, 0, List.of());

    ProgressLine(PrintWriter out, DoubleSupplier fraction, boolean terminal) {
        this.out = out;
        this.fraction = fraction;
        this.terminal = terminal;
    }

    @Override
    public void accept(ImportReport report) {
        last = report;
        long now = System.nanoTime();
        if (now - shown >= (terminal ? TERMINAL_NANOS : LOG_NANOS)) {
            shown = now;
            draw(now);
        }
    }

    private void draw(long now) {
        String line = line(now - start);
        if (terminal) {
            out.print('\r' + line);
            drawn = true;
        } else {
            out.println(line);
        }
        out.flush();
    }

    String line(long nanos) {
        double share = fraction.getAsDouble();
        long rate = Math.round(last.read() * (double) TimeUnit.SECONDS.toNanos(1) / Math.max(1, nanos));
        String counts = String.format(Locale.ROOT, "%,d IDs, %,d/s", last.read(), rate);
        if (share < 0) {
            return counts;
        }
        int full = (int) Math.round(share * WIDTH);
        return "[" + "#".repeat(full) + ".".repeat(WIDTH - full) + "] "
                + String.format(Locale.ROOT, "%3.0f %%  ", share * 100) + counts;
    }

    /** The last report. */
    ImportReport last() {
        return last;
    }

    /** Ends the bar. */
    void close() {
        if (drawn) {
            draw(System.nanoTime());
            out.println();
            drawn = false;
        }
    }
}
