package io.dedup.examples.rocketmq;

import io.dedup.examples.shop.ConsumerProcess;
import io.dedup.examples.shop.Counts;
import io.dedup.examples.shop.OrderEvents;
import io.dedup.examples.shop.PaymentTable;
import io.dedup.examples.shop.Progress;
import io.dedup.examples.shop.Report;
import io.dedup.testservers.ParentWatch;
import io.dedup.testservers.rocketmq.RocketMqServer;
import io.dedup.testservers.rocketmq.RocketMqServer.TopicType;
import io.dedup.testservers.rocketmq.RocketMqServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.rocketmq.client.apis.ClientConfiguration;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.ClientServiceProvider;
import org.apache.rocketmq.client.apis.producer.Producer;

/**
 * Payments over RocketMQ: a shop's orders, some of them sent more than once, are paid by two push consumers, whose records
 * are in PostgreSQL. One of them is killed in the middle and started again; then an operator resets the group to the start
 * of the topic. Each order must be paid once.
 *
 * <p>Exits with 1 when the business table says anything else.
 */
public final class RocketMqPaymentsMain {
    static final String TOPIC = "orders";
    static final String GROUP = "payments";
    private static final int HANG_AT = 150;
    private static final int QUEUES = 4;
    private static final int MAX_RETRIES = 16;

    private final Counts counts = new Counts();
    private final Progress progress = new Progress(counts);

    private RocketMqPaymentsMain() {}

    public static void main(String[] args) throws Exception {
        ParentWatch.start();
        System.exit(new RocketMqPaymentsMain().run() ? 0 : 1);
    }

    private boolean run() throws Exception {
        OrderEvents events = OrderEvents.load();
        progress.say("starting RocketMQ and PostgreSQL from Maven Central artifacts");
        try (RocketMqServer server = RocketMqServers.start();
                SqlDatabase database = PostgresServers.newDatabase();
                PaymentTable payments = new PaymentTable(database.jdbcUrl(), database.user(), database.password())) {
            payments.create();
            server.createTopic(TOPIC, TopicType.NORMAL, QUEUES);
            server.createGroup(GROUP, false, MAX_RETRIES, Duration.ofSeconds(1));
            consume(events, server, database);
            return Report.print(progress, counts, events, payments.totals());
        }
    }

    private void consume(OrderEvents events, RocketMqServer server, SqlDatabase database) throws Exception {
        int messages = events.lines().size();
        try (ConsumerProcess second = start("consumer-2", server, database, 0)) {
            try (ConsumerProcess first = start("consumer-1", server, database, HANG_AT)) {
                progress.await("both consumers", () -> counts.of("READY") == 2, first, second);
                send(events, server);
                progress.say("sent " + messages + " events of "
                        + events.centsByOrder().size() + " orders: the producer sent some orders more than once");
                progress.await("consumer-1 to be inside a handler", () -> counts.of("HANGS") == 1, first, second);
                first.kill();
            }
            progress.say("killed consumer-1 (kill -9) inside its handler, before the payment; starting it again");
            try (ConsumerProcess again = start("consumer-1", server, database, 0)) {
                progress.await("all orders to be consumed", () -> acked() >= messages, again, second);
                progress.say("everything is consumed; resetting the group to the start of the topic");
                server.resetOffset(TOPIC, GROUP);
                progress.await("the replay to be consumed", () -> acked() >= 2L * messages, again, second);
                progress.say("the replay is consumed");
            }
        }
    }

    private long acked() {
        return counts.of("HANDLED") + counts.of("DUPLICATE");
    }

    private static void send(OrderEvents events, RocketMqServer server) throws ClientException, IOException {
        ClientServiceProvider client = ClientServiceProvider.loadService();
        try (Producer producer = client.newProducerBuilder()
                .setClientConfiguration(configuration(server.endpoints()))
                .setTopics(TOPIC)
                .build()) {
            List<CompletableFuture<?>> sent = new ArrayList<>();
            for (String event : events.lines()) {
                sent.add(producer.sendAsync(client.newMessageBuilder()
                        .setTopic(TOPIC)
                        .setKeys(OrderEvents.orderId(event))
                        .setBody(event.getBytes(StandardCharsets.UTF_8))
                        .build()));
            }
            sent.forEach(CompletableFuture::join);
        }
    }

    static ClientConfiguration configuration(String endpoints) {
        return ClientConfiguration.newBuilder()
                .setEndpoints(endpoints)
                .enableSsl(false)
                .setRequestTimeout(Duration.ofSeconds(20)) // its 3 s are short for a start on a busy machine
                .build();
    }

    private ConsumerProcess start(String name, RocketMqServer server, SqlDatabase database, int hangAt)
            throws IOException {
        return ConsumerProcess.start(
                name,
                PaymentConsumer.class,
                Map.of(PaymentConsumer.USER, database.user(), PaymentConsumer.PASSWORD, database.password()),
                counts,
                name,
                server.endpoints(),
                database.jdbcUrl(),
                Integer.toString(hangAt));
    }
}
