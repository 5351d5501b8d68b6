package io.dedup.benchmarks;

import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.steps.PostgresSteps;
import io.dedup.benchmarks.steps.RedisSteps;
import io.dedup.benchmarks.steps.StepLatency;
import io.dedup.benchmarks.steps.StepSubject;
import io.dedup.testservers.redis.RedisBinary;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** What a step of a handler costs. */
final class StepsSection {
    private final Report report;

    StepsSection(Report report) {
        this.report = report;
    }

    void run(List<Network> networks, int messages) {
        StepLatency latency = new StepLatency(messages);
        RedisBinary redis = RedisBinary.installed().orElseGet(RedisBinary::embedded);
        List<List<String>> rows = new ArrayList<>();
        for (Network network : networks) {
            for (Supplier<StepSubject> open : List.<Supplier<StepSubject>>of(
                    () -> new RedisSteps(redis, network), () -> new PostgresSteps(network))) {
                try (StepSubject subject = open.get()) {
                    report.progress("steps on " + subject.name());
                    rows.add(latency.measure(subject));
                }
            }
        }
        report.heading("A step, in µs at 50 / 99 / 99.9 per cent");
        report.table(List.of("store", "step", "by hand, without an owner", "median, times by hand"), rows);
    }
}
