package io.dedup.ledger.run;

import io.dedup.ledger.consumer.ConsumerMain;
import io.dedup.testkit.faults.PausedProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The consumer processes of a run, whatever they consume. Each ends in an orderly way with its standard input. */
public final class ConsumerProcesses implements AutoCloseable {
    /** What a process prints when all its consumers run. */
    public static final String READY = ConsumerMain.READY;

    private static final Logger log = LoggerFactory.getLogger(ConsumerProcesses.class);
    private static final Duration START = Duration.ofMinutes(10);
    private static final Duration END = Duration.ofMinutes(2);

    /** What differs from ledger to ledger. */
    public interface Program {
        /** Options of the JVM, the main class and its arguments, of a process that is about to start. */
        List<String> arguments(int which);

        /** Returns whether it knows what to do with this line that a process has printed; others are thread dumps. */
        default boolean understands(int which, String line) {
            return false;
        }
    }

    private final Program program;
    private final int count;
    private final Path logs;
    private final List<Consumer> consumers = new ArrayList<>();

    /** @param logs where each process's log and thread dumps go */
    public ConsumerProcesses(Program program, int count, Path logs) {
        this.program = program;
        this.count = count;
        this.logs = logs;
    }

    /** Returns when all of them are ready. */
    public void start() {
        for (int i = 0; i < count; i++) {
            consumers.add(new Consumer(i));
        }
        for (int i = 0; i < count; i++) {
            awaitReady(i);
        }
    }

    /** Waits until all its consumers run; starts it again when it has ended. */
    public void awaitReady(int which) {
        long until = System.nanoTime() + START.toNanos();
        while (!consumers.get(which).isReady()) {
            revive();
            if (System.nanoTime() - until > 0) {
                throw new IllegalStateException(
                        "consumer " + which + " hasn't started within " + START + "; see the logs in " + logs);
            }
        }
    }

    /** Whether all its consumers run. */
    boolean isReady(int which) {
        return consumers.get(which).ready.getCount() == 0;
    }

    /** Starts those again that have ended by themselves. */
    public void revive() {
        for (int i = 0; i < consumers.size(); i++) {
            if (!consumers.get(i).process.isAlive()) {
                consumers.set(i, new Consumer(i));
            }
        }
    }

    /** SIGKILL, and a new one. */
    public void kill(int which) throws InterruptedException {
        consumers.get(which).process.destroyForcibly().waitFor();
        consumers.set(which, new Consumer(which));
    }

    /** An orderly end, and a new one. */
    public void deploy(int which) throws InterruptedException {
        end(which);
        consumers.set(which, new Consumer(which));
    }

    /** Ends all of them in an orderly way. */
    public void end() throws InterruptedException {
        consumers.forEach(Consumer::closeInput);
        for (int i = 0; i < consumers.size(); i++) {
            end(i);
        }
        consumers.clear();
    }

    private void end(int which) throws InterruptedException {
        Consumer consumer = consumers.get(which);
        consumer.closeInput();
        if (!consumer.process.waitFor(END.toSeconds(), TimeUnit.SECONDS)) {
            dump();
            throw new IllegalStateException("consumer " + which + " doesn't end; see " + logs);
        }
    }

    /** SIGSTOP for so long. */
    public void pause(int which, Duration time) throws InterruptedException {
        try (PausedProcess paused =
                PausedProcess.pause(consumers.get(which).process.pid())) {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        }
    }

    /** Sends a line to all of them. */
    void order(String order) {
        for (Consumer consumer : consumers) {
            try {
                consumer.process.outputWriter().write(order + "\n");
                consumer.process.outputWriter().flush();
            } catch (IOException e) {
                log.info("not sent to a process that has ended: {}", order);
            }
        }
    }

    /** Writes their thread dumps to files beside their logs. */
    public void dump() {
        for (Consumer consumer : consumers) {
            try {
                new ProcessBuilder("kill", "-QUIT", Long.toString(consumer.process.pid()))
                        .start()
                        .onExit()
                        .join();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void append(int which, String line) {
        try {
            Files.writeString(
                    logs.resolve("consumer-" + which + ".threads"),
                    line + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        for (Consumer consumer : consumers) {
            consumer.process.destroyForcibly().onExit().join();
        }
    }

    private final class Consumer {
        private final Process process;
        private final CountDownLatch ready = new CountDownLatch(1);

        Consumer(int which) {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Xshare:auto",
                    "-cp",
                    System.getProperty("java.class.path")));
            command.addAll(program.arguments(which));
            try {
                process = new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.appendTo(
                                logs.resolve("consumer-" + which + ".log").toFile()))
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            Thread reader = new Thread(() -> process.inputReader().lines().forEach(line -> {
                if (line.equals(READY)) {
                    ready.countDown();
                } else if (!program.understands(which, line)) {
                    append(which, line);
                }
            }));
            reader.setDaemon(true);
            reader.start();
        }

        boolean isReady() {
            try {
                return ready.await(1, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }

        void closeInput() {
            try {
                process.outputWriter().close();
            } catch (IOException e) {
                log.info("a process has ended before", e);
            }
        }
    }
}
