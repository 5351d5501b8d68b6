package io.dedup.soak.run;

import io.dedup.soak.measure.Sample;
import io.dedup.soak.measure.SampleFile;
import io.dedup.soak.plan.Assignment;
import io.dedup.soak.plan.EffectFile;
import io.dedup.soak.plan.Lane;
import io.dedup.soak.plan.Leak;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One run, from the servers' start to the last count. */
public final class Run {
    private static final Duration REST = Duration.ofMinutes(5);
    private static final int SAMPLES_PER_LINE = 30;

    private final Duration length;
    private final Duration between;
    private final long seed;
    private final Leak leak;
    private final Path directory;
    private final Map<Lane, EffectFile> effects = new EnumMap<>(Lane.class);
    private final List<Sample> samples = new ArrayList<>();

    /** @param between samples */
    public Run(Duration length, Duration between, long seed, Leak leak, Path directory) {
        this.length = length;
        this.between = between;
        this.seed = seed;
        this.leak = leak;
        this.directory = directory;
    }

    /** What happened to the messages. */
    public record Result(List<Sample> samples, long sent, long copies, long lost, long doubled, int cuts) {}

    public Result result() throws Exception {
        Files.createDirectories(directory);
        for (Lane lane : Lane.values()) {
            Files.deleteIfExists(directory.resolve(lane.id() + ".effects"));
            effects.put(lane, EffectFile.open(directory, lane));
        }
        try (Servers servers = new Servers()) {
            servers.createTopics();
            Assignment assignment = new Assignment(
                    servers.kafka.bootstrapServers(),
                    servers.redisUri(),
                    servers.jdbcUrl(),
                    servers.database.user(),
                    servers.database.password(),
                    directory,
                    leak,
                    seed);
            try (ConsumerProcess consumer = new ConsumerProcess(assignment);
                    Sender sender = new Sender(servers.kafka.bootstrapServers(), effects, seed);
                    Cuts cuts = new Cuts(servers, seed, length.toMillis())) {
                consumer.awaitReady();
                sender.start();
                cuts.start();
                sample(servers, consumer);
                cuts.close();
                sender.end();
                awaitRest(sender);
                consumer.end();
                return count(sender, cuts);
            }
        } finally {
            for (Lane lane : Lane.values()) {
                Files.deleteIfExists(directory.resolve(lane.id() + ".effects"));
            }
        }
    }

    private void sample(Servers servers, ConsumerProcess consumer) throws Exception {
        long start = System.nanoTime();
        try (SampleFile file = new SampleFile(directory.resolve("samples.csv"))) {
            for (long next = between.toNanos(); next <= length.toNanos(); next += between.toNanos()) {
                LockSupport.parkNanos(start + next - System.nanoTime());
                SampleOfAll taker = new SampleOfAll(servers, consumer);
                Sample sample = taker.take((System.nanoTime() - start) / 1e9, handled());
                file.append(sample);
                samples.add(sample);
                if (samples.size() % SAMPLES_PER_LINE == 0) {
                    System.out.printf("%.0f s: %,d messages, %s%n", sample.seconds(), sample.ids(), sample.values());
                }
            }
        }
    }

    private long handled() {
        return effects.values().stream().mapToLong(EffectFile::distinct).sum();
    }

    /** As long as there is progress: on a busy machine it may take long. */
    private void awaitRest(Sender sender) {
        long handled = handled();
        long until = System.nanoTime() + REST.toNanos();
        while (handled < sender.sent() && System.nanoTime() - until < 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            if (handled() > handled) {
                handled = handled();
                until = System.nanoTime() + REST.toNanos();
            }
        }
    }

    private Result count(Sender sender, Cuts cuts) {
        long lost = 0;
        long doubled = 0;
        for (Lane lane : Lane.values()) {
            EffectFile file = Objects.requireNonNull(effects.get(lane));
            int lostHere = 0;
            for (int id = 0; id < sender.sent(lane); id++) {
                lostHere += file.effects(id) == 0 ? 1 : 0;
            }
            long doubledHere = file.all() - file.distinct();
            System.out.printf(
                    "%s: %,d messages, lost %d, doubled %d%n", lane.id(), sender.sent(lane), lostHere, doubledHere);
            lost += lostHere;
            doubled += doubledHere;
        }
        return new Result(samples, sender.sent(), sender.copies(), lost, doubled, cuts.cuts());
    }
}
