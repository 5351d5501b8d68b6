package io.dedup.examples.live;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** The JVM of {@link ConsumerApplication}, started with the shop. Thread-safe. */
final class ConsumerProcess implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ConsumerProcess.class);
    private static final List<String> PASSED_ON = List.of(
            "spring.kafka.bootstrap-servers",
            "spring.datasource.url",
            "spring.datasource.username",
            "spring.datasource.password",
            "live.mail-takes",
            "live.metrics-port");

    private final Environment settings;
    private final Tally tally;
    private final Feed feed;
    private @Nullable Run run;
    private int starts;

    /** One life of the process; {@code assigned} are the listeners that have their partitions. */
    private record Run(Process process, Thread reader, BufferedWriter commands, Set<Topics.Subscription> assigned) {}

    ConsumerProcess(Environment settings, Tally tally, Feed feed) {
        this.settings = settings;
        this.tally = tally;
        this.feed = feed;
    }

    /** What the page shows about the process. */
    record View(String state, long pid, int starts) {}

    synchronized View view() {
        if (run == null || !run.process().isAlive()) {
            return new View("dead", 0, starts);
        }
        return new View(
                isReady(run.assigned()) ? "running" : "starting", run.process().pid(), starts);
    }

    private static boolean isReady(Set<Topics.Subscription> assigned) {
        return assigned.containsAll(Topics.SUBSCRIPTIONS);
    }

    /**
     * Starts the process.
     *
     * @throws Refused when it is running
     */
    @EventListener(ApplicationReadyEvent.class)
    synchronized void start() {
        if (run != null && run.process().isAlive()) {
            throw Refused.conflict("the consumer is running");
        }
        ProcessBuilder command = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ConsumerApplication.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        // The list of processes shows arguments to everybody, so passwords go into the environment.
        Map<String, String> environment = command.environment();
        for (String name : PASSED_ON) {
            String value = settings.getProperty(name);
            if (value != null) {
                environment.put(name.toUpperCase(Locale.ROOT).replace("-", "").replace('.', '_'), value);
            }
        }
        try {
            Process process = command.start();
            Set<Topics.Subscription> assigned = ConcurrentHashMap.newKeySet();
            starts++;
            feed.happened(TimelineEvent.of(TimelineEvent.STARTED, "", ""));
            Thread reader = new Thread(() -> read(process, assigned), "consumer-" + process.pid());
            reader.setDaemon(true);
            run = new Run(process, reader, process.outputWriter(StandardCharsets.UTF_8), assigned);
            reader.start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start a JVM for the consumer", e);
        }
    }

    /**
     * Ends the process as {@code kill -9} does.
     *
     * @throws Refused when it isn't running
     */
    synchronized void kill() {
        if (run == null || !run.process().isAlive()) {
            throw Refused.conflict("the consumer isn't running");
        }
        run.process().destroyForcibly();
        awaitEnd(run);
        feed.happened(TimelineEvent.of(TimelineEvent.KILLED, "", ""));
    }

    /**
     * Lets the listeners of a topic read it from the beginning.
     *
     * @throws Refused when the process isn't running, or a listener has no partitions yet
     */
    synchronized void replay(String topic) {
        if (run == null || !view().state().equals("running")) {
            throw Refused.conflict("the consumer isn't running");
        }
        try {
            feed.happened(TimelineEvent.of(TimelineEvent.REPLAYED, topic, ""));
            run.commands().write(topic);
            run.commands().newLine();
            run.commands().flush();
        } catch (IOException e) {
            throw Refused.conflict("the consumer has just ended");
        }
    }

    private void read(Process process, Set<Topics.Subscription> assigned) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                try {
                    heard(JsonMapper.shared().readValue(line, Outcome.class), assigned);
                } catch (JacksonException e) {
                    log.debug("not a whole line of ours: a kill cut it, or something else printed it", e);
                }
            }
        } catch (IOException e) {
            log.debug("the consumer has ended", e);
        }
    }

    private void heard(Outcome outcome, Set<Topics.Subscription> assigned) {
        if (!outcome.what().equals(Outcome.ASSIGNED)) {
            feed.happened(TimelineEvent.of(outcome, tally.count(outcome)));
            return;
        }
        for (Topics.Subscription each : Topics.SUBSCRIPTIONS) {
            if (each.topic().equals(outcome.topic()) && each.group().equals(outcome.group())) {
                if (assigned.add(each) && isReady(assigned)) {
                    feed.happened(TimelineEvent.of(TimelineEvent.READY, "", ""));
                }
            }
        }
    }

    /** Returns when everything that the process printed has been read. */
    private static void awaitEnd(Run run) {
        try {
            run.process().waitFor();
            run.reader().join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized void close() {
        if (run != null) {
            run.process().destroyForcibly();
            awaitEnd(run);
        }
    }
}
