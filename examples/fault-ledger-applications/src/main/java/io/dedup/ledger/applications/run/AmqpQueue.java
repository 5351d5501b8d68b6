package io.dedup.ledger.applications.run;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.dedup.ledger.applications.plan.Text;
import io.dedup.ledger.plan.Traffic;
import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.amqp.QpidServer;
import io.dedup.testservers.amqp.RabbitMqServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A queue for RabbitMQ's client. There are no dead letters: what the broker or the client gives up is lost. */
final class AmqpQueue implements Entrance {
    /** The default of RabbitMQ 4. */
    private static final int DELIVERY_LIMIT = 20;

    private final AutoCloseable broker;
    private final boolean requeues;
    private final TcpProxy proxy;
    private final Connection connection;
    private final Channel channel;

    /** @param requeues whether a message that fails is delivered again */
    private AmqpQueue(AutoCloseable broker, int port, boolean requeues, Map<String, Object> arguments)
            throws Exception {
        this.broker = broker;
        this.requeues = requeues;
        proxy = TcpProxy.to(port);
        ConnectionFactory factory = new ConnectionFactory();
        factory.setPort(port);
        connection = factory.newConnection();
        channel = connection.createChannel();
        channel.queueDeclare("orders", true, false, false, arguments);
        channel.confirmSelect();
    }

    static AmqpQueue qpid() throws Exception {
        QpidServer qpid = new QpidServer();
        return new AmqpQueue(qpid, qpid.port(), false, Map.of());
    }

    /** The one that is installed. */
    static AmqpQueue rabbitMq() throws Exception {
        Path program = RabbitMqServer.installed();
        if (program == null) {
            throw new IllegalStateException("RabbitMQ isn't installed: Debian's package rabbitmq-server has it");
        }
        RabbitMqServer rabbit = new RabbitMqServer(program);
        rabbit.awaitReady();
        return new AmqpQueue(
                rabbit, rabbit.port(), true, Map.of("x-queue-type", "quorum", "x-delivery-limit", DELIVERY_LIMIT));
    }

    @Override
    public List<String> properties(int process) {
        return List.of(
                "spring.rabbitmq.port=" + proxy.port(),
                "spring.rabbitmq.listener.simple.default-requeue-rejected=" + requeues,
                "spring.rabbitmq.listener.simple.prefetch=3",
                "spring.rabbitmq.listener.simple.concurrency=3");
    }

    @Override
    public synchronized void send(Traffic.Send send) throws IOException, InterruptedException {
        channel.basicPublish(
                "",
                "orders",
                new BasicProperties.Builder()
                        .contentType("text/plain")
                        .deliveryMode(2)
                        .headers(Map.of("orderId", send.message().id()))
                        .build(),
                Text.of(send.message()).getBytes(StandardCharsets.UTF_8));
        channel.waitForConfirms();
    }

    @Override
    public synchronized boolean isIdle() throws IOException {
        return channel.messageCount("orders") == 0;
    }

    @Override
    public synchronized Set<String> waiting() throws IOException {
        Set<String> ids = new HashSet<>();
        GetResponse left;
        while ((left = channel.basicGet("orders", true)) != null) {
            ids.add(String.valueOf(left.getProps().getHeaders().get("orderId")));
        }
        return ids;
    }

    @Override
    public Set<String> deadLetters() {
        return Set.of();
    }

    @Override
    public List<TcpProxy> proxies() {
        return List.of(proxy);
    }

    @Override
    public void close() throws Exception {
        connection.abort();
        proxy.close();
        broker.close();
    }
}
