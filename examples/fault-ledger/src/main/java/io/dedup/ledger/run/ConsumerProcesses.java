package io.dedup.ledger.run;

import io.dedup.ledger.consumer.Assignment;
import io.dedup.ledger.consumer.ConsumerFaults;
import io.dedup.ledger.consumer.ConsumerMain;
import io.dedup.ledger.plan.FaultPlan;
import io.dedup.testkit.faults.PausedProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The consumer processes of a run. */
final class ConsumerProcesses implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ConsumerProcesses.class);
    private static final int MAX_SKEW_MILLIS = 3_000;
    private static final Duration START = Duration.ofMinutes(5);
    private static final Duration END = Duration.ofSeconds(40);

    /** Makes the argument of a consumer process. */
    @FunctionalInterface
    interface Assignments {
        /** @param skewMillis how much the process's host's clock is wrong */
        Assignment of(int process, long skewMillis, boolean idsAreThere);
    }

    private final Assignments assignments;
    private final Path logs;
    private final Random random;
    private final List<Consumer> consumers = new ArrayList<>();
    private boolean idsAreThere;
    private int started;

    ConsumerProcesses(Assignments assignments, Path logs, long seed) {
        this.assignments = assignments;
        this.logs = logs;
        this.random = new Random(seed);
    }

    void start() {
        for (int i = 0; i < FaultPlan.CONSUMERS; i++) {
            consumers.add(new Consumer(i));
        }
        for (int i = 0; i < FaultPlan.CONSUMERS; i++) {
            awaitReady(i);
        }
    }

    /** Waits until all its listeners run; starts it again when it has ended. */
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

    /** Stops all of them in an orderly way, does something, and starts new ones. */
    void restart(Work meanwhile) throws InterruptedException, ExecutionException {
        order(ConsumerFaults.end());
        for (Consumer consumer : consumers) {
            if (!consumer.process.waitFor(END.toSeconds(), TimeUnit.SECONDS)) {
                log.warn("killed, because it doesn't end");
                consumer.process.destroyForcibly().waitFor();
            }
        }
        meanwhile.run();
        consumers.clear();
        start();
    }

    /** What may be done while no consumer runs. */
    @FunctionalInterface
    interface Work {
        void run() throws InterruptedException, ExecutionException;
    }

    /** Stops and starts what is in share groups, so many times in each process; returns when that is over. */
    void restartShareGroups(int count) throws InterruptedException {
        order(ConsumerFaults.restarts(count));
        for (Consumer consumer : consumers) {
            if (consumer.ready.getCount() == 0 && !consumer.restarts.tryAcquire(END.toSeconds(), TimeUnit.SECONDS)) {
                log.warn("a process hasn't restarted its share groups");
            }
        }
    }

    /** Makes them find the IDs that come late; returns how many processes didn't. */
    int idsCome() {
        if (idsAreThere) {
            return 0;
        }
        idsAreThere = true;
        order(ConsumerFaults.idsCome());
        return started;
    }

    /** SIGSTOP for so long. */
    void pause(int which, Duration time) throws InterruptedException {
        try (PausedProcess paused =
                PausedProcess.pause(consumers.get(which).process.pid())) {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        }
    }

    /** Sends a command of {@link ConsumerFaults} to all of them. */
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
        private final Semaphore restarts = new Semaphore(0);

        Consumer(int which) {
            long skew = (long) random.nextInt(2 * MAX_SKEW_MILLIS) - MAX_SKEW_MILLIS;
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx384m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Xshare:auto",
                    "-cp",
                    System.getProperty("java.class.path"),
                    ConsumerMain.class.getName()));
            command.add(assignments.of(which, skew, idsAreThere).argument());
            started++;
            try {
                process = new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.appendTo(
                                logs.resolve("consumer-" + which + ".log").toFile()))
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            Thread reader = new Thread(() -> process.inputReader().lines().forEach(line -> {
                if (line.equals("READY")) {
                    ready.countDown();
                } else if (line.equals(ConsumerFaults.RESTARTED)) {
                    restarts.release();
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
