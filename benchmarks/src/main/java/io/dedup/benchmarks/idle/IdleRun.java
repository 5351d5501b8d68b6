package io.dedup.benchmarks.idle;

import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Runs the application in JVMs of its own, with dedup on the class path or without it, on one Kafka and one Redis. */
public final class IdleRun implements AutoCloseable {
    private static final Pattern OURS = Pattern.compile(
            ".*/dedup-(core|kafka|http|rocketmq|store-redis|store-jdbc|spring-boot-starter|fault-ledger|testkit)"
                    + "(-[^/]*\\.jar|/target/classes/?)");

    /** What the application has beside its listeners. */
    public enum With {
        NOTHING("without"),
        /** Shows what dedup itself costs: the application needs no client of a store for it. */
        MEMORY("with dedup, records in memory"),
        REDIS("with dedup, records in Redis");

        private final String text;

        With(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private final String kafka = KafkaServers.shared().bootstrapServers();
    private final RedisServer redis = RedisServers.start();

    /**
     * Creates the topics.
     *
     * @param listeners the most that an application has
     */
    public IdleRun(int listeners) {
        for (int i = 0; i < listeners; i++) {
            KafkaServers.shared().createTopic(IdleApplication.TOPIC + i, 1);
        }
    }

    /**
     * Starts the application, and returns what it reports until it ends.
     *
     * @param settings more arguments
     */
    public List<IdleReport> run(With with, int listeners, String... settings) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-cp",
                classPath(with != With.NOTHING),
                IdleApplication.class.getName(),
                "--idle.listeners=" + listeners,
                "--logging.level.root=ERROR",
                "--spring.kafka.bootstrap-servers=" + kafka,
                "--spring.kafka.consumer.auto-offset-reset=latest",
                "--spring.kafka.listener.poll-timeout=50ms"));
        if (with != With.NOTHING) {
            command.addAll(
                    with == With.MEMORY
                            ? List.of("--dedup.store=memory")
                            : List.of("--dedup.store=redis", "--dedup.redis.url=" + redis.uri()));
            for (int i = 0; i < listeners; i++) {
                command.add("--dedup.topics." + IdleApplication.TOPIC + i + ".id=key");
            }
        }
        command.addAll(List.of(settings));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<IdleReport> reports = new ArrayList<>();
        List<String> output = new ArrayList<>();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                IdleReport.parse(line).ifPresent(reports::add);
                output.add(line);
            }
        }
        if (process.waitFor() != 0 || reports.isEmpty()) {
            throw new IllegalStateException("the application failed:\n" + String.join("\n", output));
        }
        return reports;
    }

    private static String classPath(boolean withDedup) {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> withDedup || !OURS.matcher(entry).matches())
                .collect(Collectors.joining(File.pathSeparator));
    }

    @Override
    public void close() {
        redis.close();
    }
}
