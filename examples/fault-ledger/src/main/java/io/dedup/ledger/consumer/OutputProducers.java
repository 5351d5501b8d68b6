package io.dedup.ledger.consumer;

import io.dedup.ledger.plan.Row;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.transaction.KafkaTransactionManager;

/** A row's producers in Kafka transactions, for effects that are records. */
final class OutputProducers implements AutoCloseable {
    private static final int TRANSACTION_TIMEOUT_MILLIS = 8_000;

    private final DefaultKafkaProducerFactory<String, String> producers;
    private final KafkaTemplate<String, String> template;
    private final String topic;

    /** @param around what is between dedup's modes and Kafka's producers */
    OutputProducers(Assignment assignment, Row row, UnaryOperator<Producer<String, String>> around) {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", assignment.bootstrap());
        config.put("linger.ms", 0);
        config.put("transaction.timeout.ms", TRANSACTION_TIMEOUT_MILLIS); // what a killed process leaves open
        producers = new DefaultKafkaProducerFactory<>(config, new StringSerializer(), new StringSerializer());
        producers.addPostProcessor(around::apply);
        topic = Assignment.outputs(assignment.run(), row);
        producers.setTransactionIdPrefix(topic + "-" + assignment.process() + "-");
        template = new KafkaTemplate<>(producers);
    }

    KafkaTransactionManager<String, String> manager() {
        return new KafkaTransactionManager<>(producers);
    }

    KafkaTemplate<String, String> template() {
        return template;
    }

    /** In the transaction of the calling thread; its commit waits for it. */
    void send(String id, int attempt) {
        var unused = template.send(topic, id, Integer.toString(attempt));
    }

    @Override
    public void close() {
        producers.destroy();
    }
}
