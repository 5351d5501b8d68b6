package io.dedup.examples.method;

import static org.junit.jupiter.api.Assumptions.abort;

import io.dedup.testservers.amqp.RabbitMqServer;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.QueueBuilder;

/** RabbitMQ itself, where it is installed: a quorum queue without a dead-letter exchange drops a message that it has delivered too often. */
class RabbitMqTest extends WaitingListenersTest {
    /** The default of RabbitMQ 4. */
    private static final int DELIVERY_LIMIT = 20;

    @Override
    int startRabbit() throws Exception {
        Path program = RabbitMqServer.installed();
        if (program == null) {
            return abort("RabbitMQ isn't installed: Debian's package rabbitmq-server has it");
        }
        RabbitMqServer server = new RabbitMqServer(program);
        close(server);
        server.awaitReady();
        return server.port();
    }

    @Override
    Stream<String> brokers() {
        return Stream.of("rabbit");
    }

    /** The broker counts what it delivers again. */
    @Override
    boolean requeuesRejected() {
        return true;
    }

    @Override
    Queue queue() {
        return QueueBuilder.durable("orders")
                .quorum()
                .deliveryLimit(DELIVERY_LIMIT)
                .build();
    }
}
