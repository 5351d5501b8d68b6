package io.dedup.failover.plan;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Servers and consumers that run. Closing it stops all of them. */
public interface RunningScenario extends AutoCloseable {
    /** Sends a message with this business ID, or another copy. Completes when the broker has confirmed it; thread-safe. */
    CompletableFuture<?> send(String id);

    /**
     * Makes the servers fail over once, and returns when they are complete again: the successor serves, and the failed
     * server is back beside it.
     *
     * @param number from 0, for a scenario that does several things in turn
     */
    Outage failOver(int number) throws Exception;

    /** Whether consumers have acknowledged all that the broker has. */
    boolean isConsumed() throws Exception;

    /** What took effect, in the order in which it did. */
    List<Effect> effects() throws Exception;

    /**
     * Which of these messages, that have no effect in the end, were lost by the server that failed over: the effect's commit
     * by a database, a message that wasn't acknowledged by a broker.
     */
    default Set<String> lostByServer(Set<String> missing) {
        return Set.of();
    }

    @Override
    void close() throws Exception;
}
