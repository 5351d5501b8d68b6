package io.dedup.ledger.consumer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * Prints {@link #READY} when every row's listener runs, executes the commands that it reads ({@link ConsumerFaults}), and
 * ends in an orderly way with its standard input.
 */
public final class ConsumerMain {
    /** What it says when it is. */
    public static final String READY = "READY";

    private static final Logger log = LoggerFactory.getLogger(ConsumerMain.class);
    private static final long RETRY_MILLIS = 300;

    private ConsumerMain() {}

    /** Argument: an {@link Assignment}. */
    public static void main(String[] args) throws IOException {
        Assignment assignment = Assignment.of(args[0]);
        ConsumerFaults faults = new ConsumerFaults(assignment.idsAreThere());
        List<Thread> starting = new ArrayList<>();
        for (Assignment.Place place : assignment.places()) {
            Thread thread = new Thread(
                    () -> start(assignment, place, faults),
                    "start-" + place.row().id());
            thread.setDaemon(true);
            thread.start();
            starting.add(thread);
        }
        Thread teller = new Thread(() -> tellWhenReady(starting), "teller");
        teller.setDaemon(true);
        teller.start();
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String order;
        while ((order = orders.readLine()) != null) { // until the ledger closes our input, or ends
            faults.obey(order);
        }
        faults.stop();
        Runtime.getRuntime().halt(0);
    }

    /** Starts again what cannot start while its store is unavailable, as an orchestrator would. */
    private static void start(Assignment assignment, Assignment.Place place, ConsumerFaults faults) {
        while (true) {
            RowListener listener = new RowListener(assignment, place, faults);
            try {
                watch(place, listener.start(), faults);
                return;
            } catch (Exception e) {
                log.warn("{} cannot start, tries again", place.row(), e);
                listener.close();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS));
            }
        }
    }

    /** Ends the process if a listener has stopped by itself, as an orchestrator would. */
    private static void watch(
            Assignment.Place place, Collection<? extends MessageListenerContainer> containers, ConsumerFaults faults) {
        Thread thread = new Thread(
                () -> {
                    while (containers.stream().allMatch(faults::isRunning)) {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS));
                    }
                    log.error("{} has stopped by itself", place.row());
                    Runtime.getRuntime().halt(1);
                },
                "watch-" + place.row().id());
        thread.setDaemon(true);
        thread.start();
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
        System.out.println(READY);
        System.out.flush();
    }
}
