package io.dedup.ledger.consumer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says {@code READY} when every row's listener runs, and ends with its standard input. */
public final class ConsumerMain {
    private static final Logger log = LoggerFactory.getLogger(ConsumerMain.class);
    private static final long RETRY_MILLIS = 300;

    private ConsumerMain() {}

    /** Argument: an {@link Assignment}. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Assignment assignment = Assignment.of(args[0]);
        List<Thread> starting = new ArrayList<>();
        for (Assignment.Place place : assignment.places()) {
            Thread thread = new Thread(
                    () -> start(assignment, place), "start-" + place.row().id());
            thread.setDaemon(true);
            thread.start();
            starting.add(thread);
        }
        Thread teller = new Thread(() -> tellWhenReady(starting), "teller");
        teller.setDaemon(true);
        teller.start();
        while (System.in.read() >= 0) {
            // until the ledger closes our input, or ends
        }
        Runtime.getRuntime().halt(0);
    }

    /** As whatever runs a process would do, starts again what can't start while its store is away. */
    private static void start(Assignment assignment, Assignment.Place place) {
        while (true) {
            RowListener listener = new RowListener(assignment, place);
            try {
                listener.start();
                return;
            } catch (Exception e) {
                log.warn("{} can't start, tries again", place.row(), e);
                listener.close();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS));
            }
        }
    }

    private static void tellWhenReady(List<Thread> starting) {
        try {
            for (Thread thread : starting) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        System.out.println("READY");
        System.out.flush();
    }
}
