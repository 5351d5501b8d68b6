package io.dedup.ledger.applications.run;

import io.dedup.ledger.applications.plan.ApplicationRow;
import io.dedup.ledger.plan.Traffic;
import io.dedup.testkit.faults.TcpProxy;
import java.util.List;
import java.util.Set;

/** How messages reach a row's applications: its broker, or a client that calls them. */
interface Entrance extends AutoCloseable {
    static Entrance of(ApplicationRow row) throws Exception {
        return switch (row) {
            case ARTEMIS -> new JmsQueue();
            case AMQP -> AmqpQueue.qpid();
            case RABBITMQ -> AmqpQueue.rabbitMq();
            case PARALLEL_CONSUMER, STREAM -> new KafkaTopic();
            case HTTP -> new HttpClients();
        };
    }

    /** What makes an application's process find it. */
    List<String> properties(int process);

    /** Returns when it is sent for sure. */
    void send(Traffic.Send send) throws Exception;

    /** Whether everything is acknowledged, as far as that can be seen while applications run. */
    boolean isIdle() throws Exception;

    /** The messages of which a copy isn't acknowledged, when no application runs any more. */
    Set<String> waiting() throws Exception;

    /** The messages that were given up. */
    Set<String> deadLetters() throws Exception;

    /** Between it and the applications. */
    List<TcpProxy> proxies();
}
