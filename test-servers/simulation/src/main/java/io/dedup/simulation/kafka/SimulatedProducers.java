package io.dedup.simulation.kafka;

import java.util.Map;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;

/** Makes the producers of one simulated broker. */
public final class SimulatedProducers extends DefaultKafkaProducerFactory<String, String> {
    /** The topic of dead letters. */
    public static final String DEAD_LETTERS = "dead-letters";

    /** The topic of answers. */
    public static final String REPLIES = "replies";

    /** Before what a transaction sends there. */
    static final String REPLY = "reply: ";

    private final SimulatedBroker broker;
    private final Trouble trouble;
    private final SimulatedConsumer.Observer observer;

    private SimulatedProducers(SimulatedBroker broker, Trouble trouble, SimulatedConsumer.Observer observer) {
        super(Map.of("bootstrap.servers", "simulated:9092"), new StringSerializer(), new StringSerializer());
        this.broker = broker;
        this.trouble = trouble;
        this.observer = observer;
    }

    /** Producers with transactions. */
    public static SimulatedProducers ofTransactions(
            SimulatedBroker broker, Trouble trouble, SimulatedConsumer.Observer observer) {
        SimulatedProducers producers = new SimulatedProducers(broker, trouble, observer);
        producers.setTransactionIdPrefix("tx-");
        return producers;
    }

    /** Producers without, which send replies and dead letters. */
    public static SimulatedProducers ofReplies(
            SimulatedBroker broker, Trouble trouble, SimulatedConsumer.Observer observer) {
        return new SimulatedProducers(broker, trouble, observer);
    }

    @Override
    protected Producer<String, String> createRawProducer(Map<String, Object> settings) {
        return new SimulatedProducer(broker, trouble, observer, transactionCapable());
    }
}
