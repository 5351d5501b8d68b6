package io.dedup.simulation.kafka;

import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

/** Makes a container's consumers, all of one simulated broker. */
public final class SimulatedConsumers extends DefaultKafkaConsumerFactory<String, String> {
    private final SimulatedBroker broker;
    private final Trouble trouble;
    private final SimulatedConsumer.Observer observer;
    private final SimulatedConsumer.Reset reset;
    private final GroupProtocol protocol;
    private final int maxPollRecords;

    public SimulatedConsumers(
            SimulatedBroker broker,
            Trouble trouble,
            SimulatedConsumer.Observer observer,
            SimulatedConsumer.Reset reset,
            GroupProtocol protocol,
            int maxPollRecords) {
        super(
                Map.of(
                        "bootstrap.servers",
                        "simulated:9092",
                        "group.id",
                        "group",
                        "enable.auto.commit",
                        false,
                        "auto.offset.reset",
                        reset.name().toLowerCase(java.util.Locale.ROOT)),
                new StringDeserializer(),
                new StringDeserializer());
        this.broker = broker;
        this.trouble = trouble;
        this.observer = observer;
        this.reset = reset;
        this.protocol = protocol;
        this.maxPollRecords = maxPollRecords;
    }

    @Override
    protected Consumer<String, String> createRawConsumer(Map<String, Object> settings) {
        return new SimulatedConsumer(broker, trouble, observer, reset, protocol, maxPollRecords);
    }
}
