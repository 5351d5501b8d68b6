package io.dedup.benchmarks;

import io.dedup.benchmarks.failover.FailoverRun;
import io.dedup.testservers.redis.RedisBinary;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Latency of claim and completion while the store fails over. */
final class FailoverSection {
    private final List<List<String>> summaries = new ArrayList<>();
    private final List<List<String>> seconds = new ArrayList<>();
    private final Report report;

    FailoverSection(Report report) {
        this.report = report;
    }

    void run(List<String> stores, int rounds, int perSecond) throws InterruptedException {
        for (String store : stores) {
            Optional<FailoverRun.Servers> servers = switch (store) {
                case "redis-6.2" -> Optional.of(FailoverRun.redis(RedisBinary.embedded()));
                case "redis-7" -> RedisBinary.installed().map(FailoverRun::redis);
                case "postgresql" -> Optional.of(FailoverRun.postgres());
                default -> Optional.empty();
            };
            if (servers.isPresent()) {
                run(servers.get(), rounds, perSecond);
            }
        }
        report.heading("Failover: " + perSecond + " messages a second, one failover each row");
        report.table(FailoverRun.SUMMARY, summaries);
        report.heading("Failover by second: times of the messages that became due in each");
        report.table(FailoverRun.SECONDS, seconds);
    }

    private void run(FailoverRun.Servers servers, int rounds, int perSecond) throws InterruptedException {
        for (String way : FailoverRun.ways(servers)) {
            for (int round = 1; round <= rounds; round++) {
                FailoverRun run = FailoverRun.of(servers, way, perSecond);
                summaries.add(run.summary());
                if (round == 1) {
                    seconds.addAll(run.seconds());
                }
                report.progress(String.join(" | ", run.summary()));
            }
        }
    }
}
