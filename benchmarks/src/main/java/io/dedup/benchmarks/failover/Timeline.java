package io.dedup.benchmarks.failover;

import io.dedup.benchmarks.latency.Percentiles;
import io.dedup.benchmarks.latency.SteadyLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** When each message was due and when it was handled, and when attempts were refused. Thread-safe. */
final class Timeline implements SteadyLoad.Watcher {
    private static final Logger log = LoggerFactory.getLogger(Timeline.class);
    private static final long PAUSE_MILLIS = 20;
    /** A load that never recovers has to end. */
    private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final List<Message> messages = new ArrayList<>();
    private final List<Long> refused = new ArrayList<>();

    /** One message, in {@link System#nanoTime}. */
    record Message(long due, long end) {
        long took() {
            return end - due;
        }
    }

    /**
     * A part of it.
     *
     * @param refused attempts that failed in it; a message may be refused several times
     */
    record Part(List<Message> messages, long refused) {
        /** Those that became due in it. */
        Percentiles times() {
            Percentiles times = new Percentiles();
            messages.forEach(message -> times.add(message.took()));
            return times;
        }
    }

    @Override
    public synchronized void handled(long due, long end) {
        messages.add(new Message(due, end));
    }

    /** Waits a little, as a broker does before it delivers again. */
    @Override
    public void refused(long due, long at, RuntimeException cause) {
        boolean first;
        synchronized (this) {
            first = refused.isEmpty();
            refused.add(at);
        }
        if (first) {
            log.info("the first refusal", cause);
        }
        if (at - due > LIMIT_NANOS) {
            throw cause;
        }
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw cause;
        }
    }

    synchronized Part between(long from, long to) {
        return new Part(
                messages.stream()
                        .filter(message -> message.due() >= from && message.due() < to)
                        .toList(),
                refused.stream().filter(at -> at >= from && at < to).count());
    }

    /** The longest time from one handled message to the next, of those that were handled from {@code from} on. */
    synchronized long longestGap(long from) {
        long[] ends = messages.stream()
                .mapToLong(Message::end)
                .filter(end -> end >= from)
                .sorted()
                .toArray();
        long longest = 0;
        for (int i = 1; i < ends.length; i++) {
            longest = Math.max(longest, ends[i] - ends[i - 1]);
        }
        return longest;
    }
}
