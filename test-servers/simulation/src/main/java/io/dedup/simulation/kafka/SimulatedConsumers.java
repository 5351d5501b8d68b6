package io.dedup.simulation.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.springframework.kafka.core.ConsumerPostProcessor;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

/** Makes a container's consumers, all of one simulated broker. */
public final class SimulatedConsumers extends DefaultKafkaConsumerFactory<String, String> {
    private static final long LOOK_NANOS = 200_000;

    private final SimulatedBroker broker;
    private final Trouble trouble;
    private final SimulatedConsumer.Observer observer;
    private final SimulatedConsumer.Reset reset;
    private final GroupProtocol protocol;
    private final int maxPollRecords;
    private final Turns turns;
    private final Map<String, SimulatedGroup> groups = new ConcurrentHashMap<>();
    private final Queue<SimulatedConsumer> made = new ConcurrentLinkedQueue<>();
    private boolean ignoresPostProcessors;

    /** @param alone whether there is one container with one consumer */
    public SimulatedConsumers(
            SimulatedBroker broker,
            Trouble trouble,
            SimulatedConsumer.Observer observer,
            SimulatedConsumer.Reset reset,
            GroupProtocol protocol,
            int maxPollRecords,
            boolean alone,
            Map<String, Object> more) {
        super(settings(reset, more), new StringDeserializer(), new StringDeserializer());
        this.broker = broker;
        this.trouble = trouble;
        this.observer = observer;
        this.reset = reset;
        this.protocol = protocol;
        this.maxPollRecords = maxPollRecords;
        this.turns = new Turns(broker, trouble, alone);
    }

    /** All consumers have been made, or no more are: they may poll. */
    public void begin() {
        turns.begin();
    }

    /** The process has died. */
    public void die() {
        turns.die();
    }

    /** As factories that applications write: consumers are made without the post-processors. */
    public void ignorePostProcessors() {
        ignoresPostProcessors = true;
    }

    @Override
    public void addPostProcessor(ConsumerPostProcessor<String, String> postProcessor) {
        if (!ignoresPostProcessors) {
            super.addPostProcessor(postProcessor);
        }
    }

    private static Map<String, Object> settings(SimulatedConsumer.Reset reset, Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", "simulated:9092");
        settings.put("group.id", "group");
        settings.put("enable.auto.commit", false);
        settings.put("auto.offset.reset", reset.name().toLowerCase(Locale.ROOT));
        settings.putAll(more);
        return settings;
    }

    @Override
    protected Consumer<String, String> createRawConsumer(Map<String, Object> settings) {
        SimulatedGroup group = groups.computeIfAbsent(
                String.valueOf(settings.get("group.id")), id -> new SimulatedGroup(broker, trouble));
        SimulatedConsumer consumer =
                new SimulatedConsumer(broker, trouble, observer, reset, protocol, maxPollRecords, turns, group);
        made.add(consumer);
        return consumer;
    }

    /** Waits until all are closed: a container that has stopped itself may still be leaving its group. */
    public void awaitClosed(Duration longest) {
        long end = System.nanoTime() + longest.toNanos();
        while (!made.stream().allMatch(SimulatedConsumer::isClosed) && System.nanoTime() < end) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
