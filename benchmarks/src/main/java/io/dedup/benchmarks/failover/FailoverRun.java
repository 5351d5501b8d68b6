package io.dedup.benchmarks.failover;

import io.dedup.benchmarks.latency.Percentiles;
import io.dedup.benchmarks.latency.SteadyLoad;
import io.dedup.benchmarks.subject.MessageHandling;
import io.dedup.testservers.redis.RedisBinary;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One failover under a steady load.
 *
 * @param store the servers
 * @param way how messages are handled
 * @param killed when the primary was killed
 * @param promoted when the replica had taken its place
 */
public record FailoverRun(String store, String way, Timeline timeline, long killed, long promoted) {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long WARM_UP = 5 * SECOND;
    private static final long BEFORE = 5 * SECOND;
    private static final long AFTER = 10 * SECOND;

    /** Makes fresh servers. */
    @FunctionalInterface
    public interface Servers {
        FailingStore start();
    }

    public static Servers redis(RedisBinary binary) {
        return () -> new SentinelRedis(binary);
    }

    public static Servers postgres() {
        return ReplicatedDatabase::new;
    }

    /** The names of the ways of such servers. */
    public static List<String> ways(Servers servers) {
        try (FailingStore store = servers.start()) {
            return List.copyOf(store.ways().keySet());
        }
    }

    public static FailoverRun of(Servers servers, String way, int perSecond) throws InterruptedException {
        try (FailingStore store = servers.start()) {
            MessageHandling handling = store.ways().get(way);
            if (handling == null) {
                throw new IllegalArgumentException("no such way: " + way);
            }
            Timeline timeline = new Timeline();
            AtomicLong end = new AtomicLong(Long.MAX_VALUE);
            FutureTask<Void> load = new FutureTask<>(() -> {
                new SteadyLoad(handling, perSecond).run(due -> due >= end.get(), timeline);
                return null;
            });
            new Thread(load, "steady-load").start();
            TimeUnit.NANOSECONDS.sleep(WARM_UP + BEFORE);
            long killed = System.nanoTime();
            store.failOver();
            long promoted = System.nanoTime();
            end.set(promoted + AFTER);
            load.get();
            return new FailoverRun(store.name(), way, timeline, killed, promoted);
        } catch (ExecutionException e) {
            throw new IllegalStateException("the load has ended during a failover of " + way, e.getCause());
        }
    }

    public static final List<String> SUMMARY = List.of(
            "store",
            "way",
            "before: 50 % / 99 %, ms",
            "replica promoted after, ms",
            "no message handled for, ms",
            "longest wait of a message, ms",
            "refused attempts",
            "last 5 s: 50 % / 99 %, ms");

    /** A row of {@link #SUMMARY}. */
    public List<String> summary() {
        Percentiles before = timeline.between(killed - BEFORE, killed).times();
        Timeline.Part during = timeline.between(killed, promoted + AFTER);
        Percentiles last =
                timeline.between(promoted + AFTER / 2, promoted + AFTER).times();
        return List.of(
                store,
                way,
                millis(before.at(50)) + " / " + millis(before.at(99)),
                millis((double) (promoted - killed)),
                millis((double) timeline.longestGap(killed - SECOND)),
                millis(during.times().at(100)),
                Long.toString(timeline.between(killed, Long.MAX_VALUE).refused()),
                millis(last.at(50)) + " / " + millis(last.at(99)));
    }

    public static final List<String> SECONDS = List.of(
            "store", "way", "second", "messages due", "refused attempts", "50 %, ms", "99 %, ms", "longest, ms");

    /** Rows of {@link #SECONDS}: those around the failover, with the times of the messages that became due in each. */
    public List<List<String>> seconds() {
        List<List<String>> rows = new ArrayList<>();
        int last = (int) ((promoted - killed) / SECOND) + 3;
        for (int second = -2; second <= last; second++) {
            Timeline.Part part = timeline.between(killed + second * SECOND, killed + (second + 1) * SECOND);
            Percentiles times = part.times();
            rows.add(List.of(
                    store,
                    way,
                    second < 0 ? Integer.toString(second) : "+" + second,
                    Integer.toString(part.messages().size()),
                    Long.toString(part.refused()),
                    millis(times.at(50)),
                    millis(times.at(99)),
                    millis(times.at(100))));
        }
        return rows;
    }

    private static String millis(double nanos) {
        return String.format(Locale.ROOT, nanos < 1e8 ? "%,.1f" : "%,.0f", nanos / 1e6);
    }
}
