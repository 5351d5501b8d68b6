package io.dedup.simulation;

import static java.util.Objects.requireNonNull;

import io.dedup.simulation.draw.Draws;
import io.dedup.simulation.kafka.SimulatedBroker;
import io.dedup.simulation.kafka.SimulatedConsumers;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.MessageListener;

/**
 * Another listener of the application: a group of its own on a topic of its own, with a deduplicator and a decorator of its own. It shares
 * the factory of its consumers, as all listeners of a Spring Boot application do. Its handler is plain, and fails now and then.
 */
final class Neighbor {
    static final String NAME = "neighbor";
    private static final int MESSAGES = 12;

    private final Draws draws;
    private final Consumer<String> steps;
    private final BooleanSupplier dead;
    private final Set<String> ids = new LinkedHashSet<>();
    private final Map<String, Integer> effects = new LinkedHashMap<>();

    /** @param dead whether its process has died: it handles nothing more */
    Neighbor(SimulatedBroker broker, Draws draws, Consumer<String> steps, BooleanSupplier dead) {
        this.dead = dead;
        this.draws = draws;
        this.steps = steps;
        for (int i = 1; i <= MESSAGES; i++) {
            String id = NAME + i;
            if (draws.unlessLeftOut("send " + id)) {
                ids.add(id);
                broker.append(NAME, i % broker.partitions().size(), id);
            }
        }
    }

    ConcurrentMessageListenerContainer<String, String> container(
            SimulatedConsumers consumers, Consumer<ContainerProperties> settings) {
        ContainerProperties properties = new ContainerProperties(NAME);
        settings.accept(properties);
        properties.setAckMode(ContainerProperties.AckMode.BATCH);
        properties.setAsyncAcks(false); // its handler acknowledges nothing
        properties.setGroupId(NAME);
        properties.setMessageListener((MessageListener<String, String>) this::handle);
        ConcurrentMessageListenerContainer<String, String> container =
                new ConcurrentMessageListenerContainer<>(consumers, properties);
        container.setBeanName(Run.CONTAINER + "-" + NAME);
        return container;
    }

    private void handle(ConsumerRecord<String, String> record) {
        String id = requireNonNull(record.value());
        if (dead.getAsBoolean()) {
            throw new IllegalStateException("the process is dead");
        }
        if (draws.happens(NAME, "fails for " + id)) {
            steps.accept("handler fails for " + Application.place(record));
            throw new IllegalStateException("cannot handle " + id);
        }
        steps.accept("effect of " + Application.place(record));
        effects.merge(id, 1, Integer::sum);
    }

    Set<String> ids() {
        return ids;
    }

    /** @param excused how often the effect of a message may be repeated */
    void judge(SimulatedBroker broker, ToIntFunction<String> excused, Set<String> lost, Map<String, Integer> doubled) {
        for (String id : ids) {
            int times = effects.getOrDefault(id, 0);
            if (times == 0 && !broker.deleted().contains(id)) {
                lost.add(id);
            } else if (times > 1 + excused.applyAsInt(id)) {
                doubled.put(id, times);
            }
        }
    }
}
