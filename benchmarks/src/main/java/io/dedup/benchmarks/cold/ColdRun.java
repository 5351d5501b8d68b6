package io.dedup.benchmarks.cold;

import io.dedup.benchmarks.kafka.ListenerBench;
import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.redis.RedisBinary;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs listeners in JVMs of their own, on one Kafka and one Redis that are warm, as those of production are. */
public final class ColdRun implements AutoCloseable {
    private final RedisServer redis;
    private final int records;

    /** Fills the topic. */
    public ColdRun(RedisBinary binary, int records) {
        this.redis = RedisServers.builder().binary(binary).start();
        this.records = records;
        var unused = new ListenerBench(records, Duration.ZERO);
    }

    public String name() {
        return "Redis " + redis.binary().version();
    }

    /**
     * Reads the topic with a new process.
     *
     * @param listener its name
     * @return at the first record or poll, and after each {@link ColdReport#STEP}
     */
    public List<ColdReport> run(String listener) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ColdListener.class.getName(),
                        KafkaServers.shared().bootstrapServers(),
                        Integer.toString(redis.port()),
                        Integer.toString(records),
                        listener)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<ColdReport> reports = new ArrayList<>();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                ColdReport.parse(line).ifPresent(reports::add);
            }
        }
        if (process.waitFor() != 0 || reports.size() != records / ColdReport.STEP + 1) {
            throw new IllegalStateException(listener + " failed after " + reports);
        }
        return reports;
    }

    @Override
    public void close() {
        redis.close();
    }
}
