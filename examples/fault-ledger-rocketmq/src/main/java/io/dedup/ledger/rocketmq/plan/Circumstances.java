package io.dedup.ledger.rocketmq.plan;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The circumstances under which a row is measured; another seed gives each row others.
 *
 * @param renewing whether the proxy keeps a push consumer's messages invisible as long as it has them; otherwise they are redelivered
 *     after 3 s, even while their handlers run
 * @param threads for handlers, in each process
 * @param queues of the topic
 * @param batch how many messages a simple consumer receives, or the older client hands over, at once
 * @param invisible how long a simple consumer's messages are invisible
 * @param fifoGroup whether the broker keeps a message group's next message back until the one before it is acknowledged
 * @param latency of the store, in each direction
 * @param patience how long a thread waits with a message that is in flight before it asks again
 */
public record Circumstances(
        boolean renewing,
        int threads,
        int queues,
        int batch,
        Duration invisible,
        boolean fifoGroup,
        Duration latency,
        Duration patience) {
    /** Of a row. */
    public static Circumstances of(long seed, RocketRow row) {
        SplittableRandom random = new SplittableRandom(31 * seed + row.id().hashCode());
        boolean renewing = random.nextBoolean() && row.client().isPush();
        int threads = one(random, 1, 4, 8);
        int queues = one(random, 1, 2, 4);
        int batch = one(random, 1, 8, 32);
        int invisible = one(random, 3, 6, 10);
        boolean fifo = random.nextBoolean();
        int latency = one(random, 0, 3, 15);
        int patience = one(random, 20, 200, 500);
        boolean fifoGroup = row.client() == ClientKind.PUSH_FIFO || (row.client() == ClientKind.SIMPLE_GROUPS && fifo);
        return new Circumstances(
                renewing,
                threads,
                queues,
                // Messages behind a failed one would be redelivered with it and spend attempts; the documentation asks
                // for
                // 1.
                fifoGroup || row.client() == ClientKind.REMOTING_ORDERLY ? 1 : batch,
                Duration.ofSeconds(invisible),
                fifoGroup,
                Duration.ofMillis(latency),
                Duration.ofMillis(patience));
    }

    private static int one(SplittableRandom random, int... of) {
        return of[random.nextInt(of.length)];
    }

    /** A description for readers. */
    public String text(RocketRow row) {
        List<String> parts = new ArrayList<>();
        ClientKind client = row.client();
        if (client.isPush()) {
            parts.add(renewing ? "renewing proxy" : "proxy without renewal");
        }
        parts.add(count(threads, "thread"));
        parts.add(count(queues, "queue"));
        if (!client.isPush() && client != ClientKind.REMOTING_ORDERLY) {
            parts.add("batches of " + batch);
        }
        if (client.isSimple()) {
            parts.add("invisible for " + invisible.toSeconds() + " s");
        }
        if (client == ClientKind.SIMPLE_GROUPS) {
            parts.add(fifoGroup ? "FIFO group" : "no FIFO group");
        }
        if (row.isOurs()) {
            parts.add("store " + latency.toMillis() + " ms");
            parts.add("waits " + patience.toMillis() + " ms");
        }
        return String.join("; ", parts);
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }
}
