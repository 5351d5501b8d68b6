package io.dedup.examples.quickstart;

import io.dedup.examples.quickstart.PaymentTable.Totals;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The main job on real servers: a shop's orders, some of them sent more than once, are paid by two consumers. One of
 * them is killed in the middle and started again; then the whole topic is replayed. Each order must be paid once.
 *
 * <p>Exits with 1 when the business table says anything else.
 */
public final class QuickstartMain {
    static final String TOPIC = "orders";
    static final String GROUP = "payments";
    private static final int HANG_AT = 150;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Counts counts = new Counts();
    private final long startedAt = System.nanoTime();
    private long lastProgress;

    private QuickstartMain() {}

    public static void main(String[] args) throws Exception {
        System.exit(new QuickstartMain().run() ? 0 : 1);
    }

    private boolean run() throws Exception {
        OrderEvents events = OrderEvents.load();
        say("starting Kafka, Redis and PostgreSQL from Maven Central artifacts");
        try (Servers servers = Servers.start();
                OrderTopic topic = new OrderTopic(servers);
                PaymentTable payments = new PaymentTable(
                        servers.database().jdbcUrl(),
                        servers.database().user(),
                        servers.database().password())) {
            payments.create();
            topic.create();
            consume(events, servers, topic);
            await("the consumers to leave the group", topic::isLeft);
            say("replaying the whole topic from the start");
            topic.rewind();
            replay(servers, topic);
            return report(events, payments.totals());
        }
    }

    private void consume(OrderEvents events, Servers servers, OrderTopic topic) throws Exception {
        try (ConsumerProcess first = ConsumerProcess.start("consumer-1", servers, HANG_AT, counts);
                ConsumerProcess second = ConsumerProcess.start("consumer-2", servers, 0, counts)) {
            await("both consumers to have partitions", topic::isShared, first, second);
            say("two consumers share " + OrderTopic.PARTITIONS + " partitions");
            topic.send(events);
            say("sent " + events.lines().size() + " events of "
                    + events.centsByOrder().size() + " orders: the producer sent some orders more than once");
            await("consumer-1 to be inside a handler", () -> counts.of("HANGS") == 1, first, second);
            first.kill();
            say("killed consumer-1 (kill -9) inside its handler, before the payment; starting it again");
            try (ConsumerProcess again = ConsumerProcess.start("consumer-1", servers, 0, counts)) {
                await("all orders to be consumed", topic::isConsumed, again, second);
                say("everything is consumed");
            }
        }
    }

    private void replay(Servers servers, OrderTopic topic) throws Exception {
        try (ConsumerProcess first = ConsumerProcess.start("consumer-1", servers, 0, counts);
                ConsumerProcess second = ConsumerProcess.start("consumer-2", servers, 0, counts)) {
            await("the replay to be consumed", topic::isConsumed, first, second);
            say("the replay is consumed");
        }
    }

    private void await(String what, BooleanSupplier condition, ConsumerProcess... running) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            for (ConsumerProcess consumer : running) {
                if (!consumer.isAlive()) {
                    throw new IllegalStateException(consumer.name() + " has died");
                }
            }
            if (System.nanoTime() - until > 0) {
                throw new IllegalStateException("waited in vain for " + what + ": " + counts);
            }
            if (System.nanoTime() - lastProgress > Duration.ofSeconds(1).toNanos()) {
                lastProgress = System.nanoTime();
                say("  " + counts);
            }
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
    }

    private boolean report(OrderEvents events, Totals totals) {
        Map<String, Long> expected = events.centsByOrder();
        long cents = expected.values().stream().mapToLong(Long::longValue).sum();
        boolean right =
                totals.effects() == expected.size() && totals.orders() == expected.size() && totals.cents() == cents;
        // The killed delivery is the one that was neither handled, nor a duplicate, nor deferred.
        long killed = counts.of("HANGS");
        boolean accounted = counts.of("DELIVERED")
                == counts.of("HANDLED") + counts.of("DUPLICATE") + counts.of("DEFERRED") + killed;
        System.out.printf(
                Locale.ROOT,
                """

                  delivered                       %,9d
                  handled                         %,9d
                  duplicates acked                %,9d
                  in flight deferred              %,9d
                  killed before the effect        %,9d
                  effects in the business table   %,9d   (%,d orders, %,.2f EUR)
                  expected effects                %,9d   (%,d orders, %,.2f EUR)

                """,
                counts.of("DELIVERED"),
                counts.of("HANDLED"),
                counts.of("DUPLICATE"),
                counts.of("DEFERRED"),
                killed,
                totals.effects(),
                totals.orders(),
                totals.cents() / 100.0,
                expected.size(),
                expected.size(),
                cents / 100.0);
        say(right ? "every order took effect once" : "WRONG: the business table differs from what was ordered");
        if (!accounted) {
            say("WRONG: some deliveries are unaccounted for");
        }
        return right && accounted;
    }

    private void say(String line) {
        System.out.printf(Locale.ROOT, "[%5.1f s] %s%n", (System.nanoTime() - startedAt) / 1e9, line);
    }
}
