package io.dedup.testkit.spring;

import io.dedup.testkit.kafka.KafkaReplay;
import io.dedup.testkit.kafka.KafkaTraffic;
import io.dedup.testkit.kafka.SpringContainers;
import io.dedup.testkit.replay.Timeline;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * Replays to the {@code @KafkaListener}s of a Spring context, and the traffic of fault plans for them: broker, group, containers and timeline are known, and the
 * topic where it is only one; {@link KafkaReplay#ids} is left to say, and {@link KafkaReplay#effects}. Thread-safe.
 */
public final class KafkaReplays {
    private final KafkaListenerEndpointRegistry registry;
    private final KafkaAdmin admin;
    private final Timeline timeline;

    /** For Spring. */
    public KafkaReplays(KafkaListenerEndpointRegistry registry, KafkaAdmin admin, Timeline timeline) {
        this.registry = registry;
        this.admin = admin;
        this.timeline = timeline;
    }

    /**
     * A replay to a listener.
     *
     * @param listenerId the {@code id} of its {@code @KafkaListener}
     * @throws IllegalArgumentException when there is no such listener; names those that there are
     */
    public KafkaReplay of(String listenerId) {
        MessageListenerContainer container = container(listenerId);
        Map<String, Object> client = admin.getConfigurationProperties();
        KafkaReplay replay = KafkaReplay.of(client).timeline(timeline).consumers(SpringContainers.of(container));
        String group = container.getGroupId();
        if (group != null) {
            replay.group(group);
        }
        String[] topics = container.getContainerProperties().getTopics();
        if (topics != null && topics.length == 1) {
            replay.topic(topics[0]);
        } // else build() asks for a topic(...)
        return replay;
    }

    /**
     * The traffic of a fault plan for a listener: broker and group are known, {@link KafkaTraffic#records} and {@link
     * KafkaTraffic#ids} are left to say. The listener itself has to run in the plan's application; keep it from running
     * here as well, with {@code spring.kafka.listener.auto-startup=false}.
     *
     * @param listenerId the {@code id} of its {@code @KafkaListener}
     * @throws IllegalArgumentException when there is no such listener; names those that there are
     */
    public KafkaTraffic traffic(String listenerId) {
        KafkaTraffic traffic = KafkaTraffic.of(admin.getConfigurationProperties());
        String group = container(listenerId).getGroupId();
        return group == null ? traffic : traffic.group(group);
    }

    private MessageListenerContainer container(String listenerId) {
        MessageListenerContainer container = registry.getListenerContainer(listenerId);
        if (container == null) {
            throw new IllegalArgumentException("there is no @KafkaListener with id " + listenerId + ", but "
                    + registry.getListenerContainerIds().stream().sorted().collect(Collectors.toList()));
        }
        return container;
    }
}
