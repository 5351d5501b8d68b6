package io.dedup.simulation.share;

import io.dedup.simulation.Drawn;
import io.dedup.simulation.draw.Draws;
import java.time.Duration;

/** What one run is made of: the application's container and listener, its policy, and the broker's settings. */
record ShareCircumstances(
        Acks acks,
        OnFailure onFailure,
        Recoverer recoverer,
        boolean renews,
        boolean asyncCommits,
        CommitCallback callback,
        boolean deduplicatorClosesFirst,
        boolean limitIsUnknown,
        boolean implicit,
        boolean recordLimit,
        int members,
        int concurrency,
        int partitions,
        int messages,
        int arrivals,
        int batchSize,
        int maxPollRecords,
        int leaseSeconds,
        int processingSeconds,
        int lockSeconds,
        int deliveries)
        implements Drawn {

    /** Who acknowledges. */
    enum Acks {
        /** The container. */
        EXPLICIT,
        /** The listener, before it returns. */
        MANUAL,
        /** The listener's worker, later. */
        LATER
    }

    /** What the listener does when it cannot handle a message. */
    enum OnFailure {
        THROW,
        ERROR,
        /** With manual acknowledgments only. */
        RELEASE,
        REJECT,
        /** Handles it, acknowledges it, and throws. */
        ACKNOWLEDGE_AND_THROW
    }

    /** What the container's recoverer answers. */
    enum Recoverer {
        RELEASES,
        REJECTS,
        ACCEPTS,
        /** Releases until the second failure. */
        REJECTS_LATER,
        THROWS,
        /** Which isn't valid there: the container rejects. */
        RENEWS
    }

    /** The application's callback for commits. */
    enum CommitCallback {
        NONE,
        LISTENS,
        THROWS
    }

    static ShareCircumstances draw(Draws draws) {
        Acks acks = draws.pick(Acks.values(), "acks");
        OnFailure onFailure = draws.pick(OnFailure.values(), "onFailure");
        if (acks == Acks.EXPLICIT && onFailure != OnFailure.ERROR) {
            onFailure = OnFailure.THROW;
        }
        if (acks == Acks.LATER && onFailure != OnFailure.REJECT) {
            onFailure = OnFailure.RELEASE; // what a worker throws nobody sees
        }
        int lease = 2 + draws.below(20, "leaseSeconds");
        return new ShareCircumstances(
                acks,
                onFailure,
                draws.pick(Recoverer.values(), "recoverer"),
                acks != Acks.EXPLICIT && draws.below(3, "renews") == 0,
                draws.below(4, "asyncCommits") == 0,
                draws.below(4, "callback") == 0
                        ? draws.pick(CommitCallback.values(), "callback kind")
                        : CommitCallback.NONE,
                draws.below(6, "closing") == 0,
                draws.below(4, "limitIsUnknown") == 0,
                draws.below(30, "implicit") == 0,
                draws.below(2, "recordLimit") == 0,
                1 + draws.below(3, "members"),
                1 + draws.below(2, "concurrency"),
                1 + draws.below(2, "partitions"),
                3 + draws.below(40, "messages"),
                1 + draws.below(6, "arrivals"),
                1 + draws.below(6, "batchSize"),
                1 + draws.below(8, "maxPollRecords"),
                lease,
                lease + draws.below(8, "processingSeconds"),
                1 + draws.below(12, "lockSeconds"),
                2 + draws.below(9, "deliveries"));
    }

    Duration lease() {
        return Duration.ofSeconds(leaseSeconds);
    }

    Duration processing() {
        return Duration.ofSeconds(processingSeconds);
    }

    Duration lock() {
        return Duration.ofSeconds(lockSeconds);
    }
}
