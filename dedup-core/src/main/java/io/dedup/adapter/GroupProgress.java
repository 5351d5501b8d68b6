package io.dedup.adapter;

import io.dedup.duplicate.DuplicateCause;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What consumers of a group have fetched and committed, as far as this process knows. It proves that a message was delivered again
 * after its offset was committed. Reports only: nothing is committed or fetched by it. Thread-safe.
 *
 * <p>A session is the time in which a consumer has a queue. A session is a replay if it began below an offset that the group had
 * committed before. The proof is a commit of this process, or one that is kept with a message which another session has handled.
 * So the copies of a replay before the first proof count as redelivered.
 *
 * @param <Q> what names a partition or queue
 */
public final class GroupProgress<Q> {
    /** What was known of a queue at some time. */
    public interface Known {
        /** Up to which offset this process had committed; -1 if it had not. */
        long committed();

        /** Whether the session had not fetched the message before its last fetch. */
        boolean isFirstInSession(long offset);
    }

    /**
     * What is known of a queue; -1 for nothing.
     *
     * @param start the lowest offset that the session has fetched
     * @param highBefore the highest one before its last fetch
     * @param provedBefore up to where the group had committed before the session
     * @param committed up to where this process has committed
     * @param rewoundFrom the highest offset that the session had fetched when it went back below a commit
     */
    private record Queue(
            @Nullable Object consumer,
            long start,
            long highBefore,
            long high,
            long provedBefore,
            long committed,
            long rewoundFrom)
            implements Known {
        static final Queue NOTHING = new Queue(null, -1, -1, -1, -1, -1, -1);

        Queue fetched(Object by, long first, long last) {
            if (consumer != by) {
                return new Queue(by, first, -1, last, Math.max(provedBefore, committed), committed, -1);
            }
            long rewound = first <= high && first < committed ? high : rewoundFrom;
            return new Queue(by, Math.min(start, first), high, Math.max(high, last), provedBefore, committed, rewound);
        }

        Queue left() {
            return new Queue(null, -1, -1, -1, Math.max(provedBefore, committed), committed, -1);
        }

        Queue committed(long offset) {
            return offset <= committed
                    ? this
                    : new Queue(consumer, start, highBefore, high, provedBefore, offset, rewoundFrom);
        }

        Queue proved(long offset) {
            return offset <= provedBefore
                    ? this
                    : new Queue(consumer, start, highBefore, high, offset, committed, rewoundFrom);
        }

        @Override
        public boolean isFirstInSession(long offset) {
            return consumer != null && offset > highBefore;
        }

        boolean isReplay(long offset, boolean firstInSession) {
            return firstInSession ? start < provedBefore : offset < committed || offset <= rewoundFrom;
        }
    }

    private static final int MAX_QUEUES = 10_000;

    private final Map<Q, Queue> queues = new ConcurrentHashMap<>();

    /**
     * A consumer has fetched messages from the first to the last of these offsets; their deliveries are created after this call.
     *
     * @param consumer any object that stands for the consumer; kept until the queue is lost, so not the consumer itself
     */
    public void fetched(Object consumer, Q queue, long first, long last) {
        makeRoom(queue);
        queues.compute(queue, (key, known) -> (known == null ? Queue.NOTHING : known).fetched(consumer, first, last));
    }

    /** This offset of the queue, from which the group goes on, is committed. */
    public void committed(Q queue, long offset) {
        makeRoom(queue);
        queues.compute(queue, (key, known) -> (known == null ? Queue.NOTHING : known).committed(offset));
    }

    /** Topics come and go: what was proved of those that no consumer has is forgotten. */
    private void makeRoom(Q queue) {
        if (queues.size() >= MAX_QUEUES && !queues.containsKey(queue)) {
            queues.values().removeIf(each -> each.consumer() == null);
        }
    }

    /** The number of queues of which something is known. */
    int size() {
        return queues.size();
    }

    /** Its consumer has lost the queue. */
    public void left(Q queue) {
        queues.computeIfPresent(queue, (key, known) -> known.left());
    }

    /** What is known of the queue now. It doesn't change: the next fetch or commit makes another one. */
    public Known known(Q queue) {
        return queues.getOrDefault(queue, Queue.NOTHING);
    }

    /**
     * Why the message at this offset, which was handled before, is delivered again.
     *
     * @param firstInSession whether this is its first delivery in the session, so that another session has handled it
     * @param committedThen up to where the group had committed when it was handled first; -1 if that is unknown
     */
    public DuplicateCause causeOf(Q queue, long offset, boolean firstInSession, long committedThen) {
        Queue known = firstInSession
                ? queues.computeIfPresent(queue, (key, before) -> before.proved(committedThen))
                : queues.get(queue);
        return known != null && known.isReplay(offset, firstInSession)
                ? DuplicateCause.REPLAYED
                : DuplicateCause.REDELIVERED;
    }
}
