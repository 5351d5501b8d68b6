package io.dedup.ledger.rocketmq.consumer;

import io.dedup.ledger.run.ConsumerProcesses;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Prints {@link ConsumerProcesses#READY} when every row's consumer runs, and ends in an orderly way with its standard input. */
public final class ConsumerMain {
    private static final Logger log = LoggerFactory.getLogger(ConsumerMain.class);
    private static final long RETRY_MILLIS = 3_000;
    private static final Duration END = Duration.ofSeconds(30);

    private ConsumerMain() {}

    /** Argument: an {@link Assignment}. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Assignment assignment = Assignment.of(args[0]);
        Queue<RowParts> running = new ConcurrentLinkedQueue<>();
        List<Thread> starting = new ArrayList<>();
        for (Assignment.Place place : assignment.places()) {
            starting.add(daemon("start-" + place.row().id(), () -> running.add(start(assignment, place))));
        }
        daemon("teller", () -> {
            join(starting);
            System.out.println(ConsumerProcesses.READY);
            System.out.flush();
        });
        while (System.in.read() >= 0) {
            // until the ledger closes our input, or ends
        }
        List<Thread> ending = new ArrayList<>();
        running.forEach(parts -> ending.add(daemon("end", parts::close)));
        Thread all = daemon("ended", () -> join(ending));
        all.join(END.toMillis());
        Runtime.getRuntime().halt(0);
    }

    /** Starts again what cannot start while its store or broker is unavailable, as an orchestrator would. */
    private static RowParts start(Assignment assignment, Assignment.Place place) {
        while (true) {
            RowParts parts = null;
            try {
                parts = new RowParts(assignment, place);
                if (place.row().client().isRemoting()) {
                    new OlderClient(parts, assignment.nameServer()).start();
                } else {
                    new NewerClient(parts, assignment.endpoints()).start();
                }
                return parts;
            } catch (Exception e) {
                log.warn("{} cannot start, tries again", place.row(), e);
                if (parts != null) {
                    parts.close();
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS));
            }
        }
    }

    private static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void join(List<Thread> threads) {
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
