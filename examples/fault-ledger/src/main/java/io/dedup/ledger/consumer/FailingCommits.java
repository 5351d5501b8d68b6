package io.dedup.ledger.consumer;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Makes commits of one consumer fail: as in a rebalance, which makes the container keep the offsets and poll; and then, in
 * half of the cases, in a way that makes it drop the polled records. Counted, not timed: a slow machine commits seldom.
 */
final class FailingCommits {
    private final AtomicInteger left = new AtomicInteger();
    private volatile boolean heldBack;

    /** Makes this number of commits fail from now on. */
    void fail(int count) {
        left.set(count);
    }

    /** Throws an unexpected exception that a commit may throw. */
    void before() {
        if (left.get() <= 0 || left.getAndDecrement() <= 0) {
            return;
        }
        int choice = ThreadLocalRandom.current().nextInt(10);
        boolean secondTry = heldBack;
        heldBack = false;
        if (choice < (secondTry ? 2 : 6)) {
            heldBack = true;
            throw new RebalanceInProgressException("injected: a rebalance is under way");
        }
        if (choice < 7) {
            throw new TimeoutException("injected: no answer to the commit");
        }
        if (choice == 7) {
            throw new CommitFailedException("injected: the member isn't in the group any more");
        }
    }

    /** Throws an exception of a commit that was executed. */
    void after() {
        if (left.get() > 0 && ThreadLocalRandom.current().nextInt(10) == 0) {
            throw new TimeoutException("injected: the answer to the commit is lost");
        }
    }
}
