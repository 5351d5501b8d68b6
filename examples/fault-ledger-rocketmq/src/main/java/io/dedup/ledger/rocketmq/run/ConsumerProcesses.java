package io.dedup.ledger.rocketmq.run;

import io.dedup.ledger.rocketmq.consumer.Assignment;
import io.dedup.ledger.rocketmq.consumer.ConsumerMain;
import io.dedup.ledger.rocketmq.plan.FaultPlan;
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

/** The consumer processes of a run. */
final class ConsumerProcesses implements AutoCloseable {
    private static final Duration START = Duration.ofMinutes(10);
    private static final Duration END = Duration.ofMinutes(2);

    private final Assignment assignment;
    private final Path logs;
    private final List<Consumer> consumers = new ArrayList<>();

    ConsumerProcesses(Assignment assignment, Path logs) {
        this.assignment = assignment;
        this.logs = logs;
    }

    void start() {
        for (int i = 0; i < FaultPlan.CONSUMERS; i++) {
            consumers.add(new Consumer(i));
        }
        for (int i = 0; i < FaultPlan.CONSUMERS; i++) {
            awaitReady(i);
        }
    }

    /** Waits until all its consumers run; starts it again when it has ended. */
    void awaitReady(int which) {
        long until = System.nanoTime() + START.toNanos();
        while (!consumers.get(which).isReady()) {
            revive();
            if (System.nanoTime() - until > 0) {
                throw new IllegalStateException(
                        "consumer " + which + " hasn't started within " + START + "; see the logs in " + logs);
            }
        }
    }

    /** Starts those again that have ended by themselves. */
    void revive() {
        for (int i = 0; i < consumers.size(); i++) {
            if (!consumers.get(i).process.isAlive()) {
                consumers.set(i, new Consumer(i));
            }
        }
    }

    /** SIGKILL, and a new one. */
    void kill(int which) throws InterruptedException {
        consumers.get(which).process.destroyForcibly().waitFor();
        consumers.set(which, new Consumer(which));
    }

    /** An orderly end, and a new one. */
    void deploy(int which) throws InterruptedException {
        Process process = consumers.get(which).process;
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!process.waitFor(END.toSeconds(), TimeUnit.SECONDS)) {
            dump();
            throw new IllegalStateException("consumer " + which + " doesn't end; see " + logs);
        }
        consumers.set(which, new Consumer(which));
    }

    /** SIGSTOP for so long. */
    void pause(int which, Duration time) throws InterruptedException {
        try (PausedProcess paused =
                PausedProcess.pause(consumers.get(which).process.pid())) {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        }
    }

    /** Writes their thread dumps to files beside their logs. */
    void dump() {
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
                    "-Xmx512m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Xshare:auto",
                    "-Drocketmq.log.root=" + logs,
                    "-Drocketmq.log.level=off", // without a broker they write megabytes
                    // The older client looks for its queues every 20 s by default, and after a minute for those of a
                    // dead one.
                    "-Drocketmq.client.rebalance.waitInterval=1000",
                    "-Drocketmq.client.rebalance.lockInterval=1000",
                    "-Drocketmq.client.rebalance.lockMaxLiveTime=3000",
                    "-cp",
                    System.getProperty("java.class.path"),
                    ConsumerMain.class.getName()));
            command.add(assignment.argument());
            try {
                process = new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.appendTo(
                                logs.resolve("consumer-" + which + ".log").toFile()))
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            Thread reader = new Thread(() -> process.inputReader().lines().forEach(line -> {
                if (line.equals(ConsumerMain.READY)) {
                    ready.countDown();
                } else {
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
    }
}
