package io.dedup.ledger.run;

import io.dedup.ledger.consumer.Assignment;
import io.dedup.ledger.consumer.ConsumerFaults;
import io.dedup.ledger.consumer.ConsumerMain;
import io.dedup.ledger.plan.FaultPlan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the consumer processes of this ledger can be made to do by themselves. */
final class KafkaConsumers implements ConsumerProcesses.Program, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(KafkaConsumers.class);
    private static final int MAX_SKEW_MILLIS = 3_000;
    private static final Duration RESTARTS = Duration.ofSeconds(40);

    /** Makes the argument of a consumer process. */
    @FunctionalInterface
    interface Assignments {
        /** @param skewMillis how much the process's host's clock is wrong */
        Assignment of(int process, long skewMillis, boolean idsAreThere);
    }

    /** What may be done while no consumer runs. */
    @FunctionalInterface
    interface Work {
        void run() throws InterruptedException, ExecutionException;
    }

    private final Assignments assignments;
    private final Random random;
    private final ConsumerProcesses processes;
    private final List<Semaphore> restarts = IntStream.range(0, FaultPlan.CONSUMERS)
            .mapToObj(which -> new Semaphore(0))
            .toList();
    private boolean idsAreThere;
    private int started;

    KafkaConsumers(Assignments assignments, Path logs, long seed) {
        this.assignments = assignments;
        random = new Random(seed);
        processes = new ConsumerProcesses(this, FaultPlan.CONSUMERS, logs);
    }

    /** Starts, kills and ends them. */
    ConsumerProcesses processes() {
        return processes;
    }

    @Override
    public List<String> arguments(int which) {
        long skew = (long) random.nextInt(2 * MAX_SKEW_MILLIS) - MAX_SKEW_MILLIS;
        started++;
        return List.of(
                "-Xmx384m",
                ConsumerMain.class.getName(),
                assignments.of(which, skew, idsAreThere).argument());
    }

    @Override
    public boolean understands(int which, String line) {
        boolean restarted = line.equals(ConsumerFaults.RESTARTED);
        if (restarted) {
            restarts.get(which).release();
        }
        return restarted;
    }

    /** Stops all of them in an orderly way, does something, and starts new ones. */
    void restart(Work meanwhile) throws InterruptedException, ExecutionException {
        processes.end();
        meanwhile.run();
        processes.start();
    }

    /** Stops and starts what is in share groups, so many times in each process; returns when that is over. */
    void restartShareGroups(int count) throws InterruptedException {
        restarts.forEach(Semaphore::drainPermits);
        processes.order(ConsumerFaults.restarts(count));
        for (int which = 0; which < restarts.size(); which++) {
            if (processes.isReady(which) && !restarts.get(which).tryAcquire(RESTARTS.toSeconds(), TimeUnit.SECONDS)) {
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
        processes.order(ConsumerFaults.idsCome());
        return started;
    }

    @Override
    public void close() {
        processes.close();
    }
}
