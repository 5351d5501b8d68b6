package io.dedup.examples.quickstart;

import io.dedup.examples.shop.ConsumerProcess;
import io.dedup.examples.shop.Counts;
import io.dedup.examples.shop.OrderEvents;
import io.dedup.examples.shop.PaymentTable;
import io.dedup.examples.shop.Progress;
import io.dedup.examples.shop.Report;
import io.dedup.testservers.ParentWatch;
import java.io.IOException;
import java.util.Map;

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

    private final Counts counts = new Counts();
    private final Progress progress = new Progress(counts);

    private QuickstartMain() {}

    public static void main(String[] args) throws Exception {
        ParentWatch.start();
        System.exit(new QuickstartMain().run() ? 0 : 1);
    }

    private boolean run() throws Exception {
        OrderEvents events = OrderEvents.load();
        progress.say("starting Kafka, Redis and PostgreSQL from Maven Central artifacts");
        try (Servers servers = Servers.start();
                OrderTopic topic = new OrderTopic(servers);
                PaymentTable payments = new PaymentTable(
                        servers.database().jdbcUrl(),
                        servers.database().user(),
                        servers.database().password())) {
            payments.create();
            topic.create();
            consume(events, servers, topic);
            progress.await("the consumers to leave the group", topic::isLeft);
            progress.say("replaying the whole topic from the start");
            topic.rewind();
            replay(servers, topic);
            return Report.print(progress, counts, events, payments.totals());
        }
    }

    private void consume(OrderEvents events, Servers servers, OrderTopic topic) throws Exception {
        try (ConsumerProcess first = start("consumer-1", servers, HANG_AT);
                ConsumerProcess second = start("consumer-2", servers, 0)) {
            progress.await("both consumers to have partitions", topic::isShared, first, second);
            progress.say("two consumers share " + OrderTopic.PARTITIONS + " partitions");
            topic.send(events);
            progress.say("sent " + events.lines().size() + " events of "
                    + events.centsByOrder().size() + " orders: the producer sent some orders more than once");
            progress.await("consumer-1 to be inside a handler", () -> counts.of("HANGS") == 1, first, second);
            first.kill();
            progress.say("killed consumer-1 (kill -9) inside its handler, before the payment; starting it again");
            try (ConsumerProcess again = start("consumer-1", servers, 0)) {
                progress.await("all orders to be consumed", topic::isConsumed, again, second);
                progress.say("everything is consumed");
            }
        }
    }

    private void replay(Servers servers, OrderTopic topic) throws Exception {
        try (ConsumerProcess first = start("consumer-1", servers, 0);
                ConsumerProcess second = start("consumer-2", servers, 0)) {
            progress.await("the replay to be consumed", topic::isConsumed, first, second);
            progress.say("the replay is consumed");
        }
    }

    private ConsumerProcess start(String name, Servers servers, int hangAt) throws IOException {
        return ConsumerProcess.start(
                name,
                OrderConsumer.class,
                Map.of(
                        OrderConsumer.USER,
                        servers.database().user(),
                        OrderConsumer.PASSWORD,
                        servers.database().password()),
                counts,
                name,
                servers.bootstrapServers(),
                servers.redisUri(),
                servers.database().jdbcUrl(),
                Integer.toString(hangAt));
    }
}
