package io.dedup.ledger;

import io.dedup.ledger.plan.Pass;
import io.dedup.ledger.plan.Row;
import io.dedup.ledger.plan.RunSize;
import io.dedup.ledger.plan.Settings;
import io.dedup.ledger.run.Servers;
import io.dedup.ledger.tally.RowResult;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;

/** One pass after the other, each with the next seed and in the circumstances that it draws. */
final class CombinationRuns {
    /** After so many passes the servers are new, so that their disks don't fill. */
    private static final int SERVERS_LAST = 20;

    private final Settings settings;
    private final Measurement measurement;

    CombinationRuns(Settings settings) {
        this.settings = settings;
        this.measurement = new Measurement(settings);
    }

    /** Of all passes, in the order of their seeds; says of each what it has found. */
    List<RowResult> results() throws IOException, InterruptedException, ExecutionException {
        List<RowResult> results = new ArrayList<>();
        int next = 0;
        while (next < settings.combinations()) {
            if (measurement.missing(pass(next)).isEmpty()) {
                results.addAll(tell(next, Duration.ZERO));
                next++;
                continue;
            }
            int until = Math.min(settings.combinations(), next + SERVERS_LAST);
            try (Servers servers = new Servers(settings.rows())) {
                for (; next < until; next++) {
                    long begin = System.nanoTime();
                    List<Row> missing = measurement.missing(pass(next));
                    if (!missing.isEmpty()) {
                        measurement.measure(servers, Pass.drawn(settings.size(next), missing, settings.wanted()));
                    }
                    results.addAll(tell(next, Duration.ofNanos(System.nanoTime() - begin)));
                }
            }
        }
        return results;
    }

    private Pass pass(int which) {
        return Pass.drawn(settings.size(which), settings.rows(), settings.wanted());
    }

    private List<RowResult> tell(int which, Duration took) throws IOException {
        Pass pass = pass(which);
        List<RowResult> results = measurement.measured(pass);
        boolean kept =
                results.stream().allMatch(result -> result.brokenPromises().isEmpty());
        System.out.printf(
                "%d of %d: seed %d, %s, %d s%n",
                which + 1,
                settings.combinations(),
                pass.size().seed(),
                kept ? "all promises kept" : "BROKEN",
                took.toSeconds());
        for (RowResult result : results) {
            for (String broken : result.brokenPromises()) {
                System.out.printf("BROKEN: %s: %s (%s)%n", result.row().title(), broken, result.combination());
            }
        }
        if (!kept) {
            System.out.println("once more: " + command(pass.size()));
        }
        System.out.flush();
        return results;
    }

    private String command(RunSize size) {
        return "mvn -B -q -Pledger -DskipTests -pl examples/fault-ledger -am verify -Dledger.combinations=1 -Dledger.seed="
                + size.seed() + " -Dledger.messages=" + size.messages() + " -Dledger.faults=" + size.faults()
                + " -Dledger.kinds=" + size.kinds() + " -Dledger.with=" + settings.with() + " -Dledger.calm-ms="
                + settings.calm().toMillis() + " -Dledger.bound-s="
                + settings.bound().toSeconds() + " -Dledger.rows="
                + settings.rows().stream().map(Row::id).collect(Collectors.joining(","))
                + " -Dledger.directory=target/ledger-again";
    }
}
