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
            "live.mail-takes");

    private final Environment settings;
    private final Tally tally;
    private final Feed feed;
    private @Nullable Run run;
    private int starts;

    /** One life of the process. */
    private record Run(Process process, BufferedWriter commands, Set<String> assigned) {}

    ConsumerProcess(Environment settings, Tally tally, Feed feed) {
        this.settings = settings;
        this.tally = tally;
        this.feed = feed;
    }

    /** What the page shows of it. */
    record View(String state, long pid, int starts) {}

    synchronized View view() {
        if (run == null || !run.process().isAlive()) {
            return new View("dead", 0, starts);
        }
        boolean ready = run.assigned().containsAll(Topics.ALL);
        return new View(ready ? "running" : "starting", run.process().pid(), starts);
    }

    /**
     * Starts it.
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
        // By the environment, where a password isn't in the list of processes.
        Map<String, String> environment = command.environment();
        for (String name : PASSED_ON) {
            String value = settings.getProperty(name);
            if (value != null) {
                environment.put(name.toUpperCase(Locale.ROOT).replace("-", "").replace('.', '_'), value);
            }
        }
        try {
            Process process = command.start();
            Set<String> assigned = ConcurrentHashMap.newKeySet();
            run = new Run(process, process.outputWriter(StandardCharsets.UTF_8), assigned);
            starts++;
            Thread reader = new Thread(() -> read(process, assigned), "consumer-" + process.pid());
            reader.setDaemon(true);
            reader.start();
        } catch (IOException e) {
            throw new UncheckedIOException("can't start a JVM for the consumer", e);
        }
    }

    /**
     * Ends it as {@code kill -9} does.
     *
     * @throws Refused when it isn't running
     */
    synchronized void kill() {
        if (run == null || !run.process().isAlive()) {
            throw Refused.conflict("the consumer isn't running");
        }
        run.process().destroyForcibly();
        awaitEnd(run.process());
    }

    /**
     * Has a topic read from the beginning.
     *
     * @throws Refused when it isn't running, or hasn't got its partitions yet
     */
    synchronized void replay(String topic) {
        if (run == null || !view().state().equals("running")) {
            throw Refused.conflict("the consumer isn't running yet, or not any more");
        }
        try {
            run.commands().write(topic);
            run.commands().newLine();
            run.commands().flush();
        } catch (IOException e) {
            throw Refused.conflict("the consumer has just ended");
        }
    }

    private void read(Process process, Set<String> assigned) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                try {
                    heard(JsonMapper.shared().readValue(line, Outcome.class), assigned);
                } catch (JacksonException e) {
                    log.debug("half a line, as a kill leaves it, or none of ours", e);
                }
            }
        } catch (IOException e) {
            log.debug("the consumer has ended", e);
        }
    }

    private void heard(Outcome outcome, Set<String> assigned) {
        if (outcome.what().equals(Outcome.ASSIGNED)) {
            assigned.add(outcome.topic());
            return;
        }
        tally.count(outcome.topic(), outcome.what());
        feed.send("outcome", outcome);
    }

    private static void awaitEnd(Process process) {
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized void close() {
        if (run != null) {
            run.process().destroyForcibly();
            awaitEnd(run.process());
        }
    }
}
