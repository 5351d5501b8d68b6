package io.dedup.testservers;

import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.process.LocalServer;
import io.dedup.testservers.redis.RedisBinary;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.rocketmq.RocketMqServers;
import io.dedup.testservers.sql.MariaDbServers;
import io.dedup.testservers.sql.PostgresServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Prints what the README says about start-up time and memory. */
final class FiguresMain {

    private static final int RUNS = 5;

    private FiguresMain() {}

    public static void main(String[] arguments) throws IOException {
        System.out.println("| server | first start | start | restart on its files after a kill | memory |");
        System.out.println("|---|---|---|---|---|");
        print("Redis " + RedisBinary.embedded().version(), RedisServers::start);
        print("PostgreSQL 18", PostgresServers::start);
        print("Kafka 4.2", KafkaServers::start);
        print("MariaDB 11.4", MariaDbServers::start);
        print("RocketMQ 5.5", RocketMqServers::start);
        RedisBinary.installed().ifPresent(binary -> System.out.println("Redis of the PATH: " + binary.version()));
        System.out.printf(
                Locale.ROOT,
                "Redis with a replica and three sentinels: %d ms%n",
                millis(() -> RedisServers.startSentinels(RedisBinary.embedded()).close()));
        System.out.printf(
                Locale.ROOT,
                "Redis cluster of three masters: %d ms%n",
                millis(() -> RedisServers.startCluster(RedisBinary.embedded()).close()));
    }

    private static void print(String name, Supplier<LocalServer> starter) throws IOException {
        long first = millis(() -> starter.get().close());
        long[] starts = LongStream.range(0, RUNS)
                .map(i -> millis(() -> starter.get().close()))
                .sorted()
                .toArray();
        try (LocalServer server = starter.get()) {
            server.kill();
            long restart = millis(server::start);
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %d ms | %d ms | %d ms | %d MB |%n",
                    name,
                    first,
                    starts[RUNS / 2],
                    restart,
                    memory(server.pid()) / 1024);
        }
    }

    private static long millis(Runnable work) {
        long begin = System.nanoTime();
        work.run();
        return (System.nanoTime() - begin) / 1_000_000;
    }

    /** In kB; what the processes of a server share counts once. */
    private static long memory(long pid) throws IOException {
        ProcessHandle server = ProcessHandle.of(pid).orElseThrow();
        List<ProcessHandle> all =
                Stream.concat(Stream.of(server), server.descendants()).toList();
        long sum = 0;
        for (ProcessHandle process : all) {
            sum += Files.readAllLines(Path.of("/proc/" + process.pid() + "/smaps_rollup")).stream()
                    .filter(line -> line.startsWith("Pss:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D+", "")))
                    .sum();
        }
        return sum;
    }
}
