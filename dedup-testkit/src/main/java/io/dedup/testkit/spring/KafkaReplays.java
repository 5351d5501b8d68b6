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
 * Creates replays to the {@code @KafkaListener}s of a Spring context, and the traffic of fault plans for them. Broker,
 * group, containers and timeline are known, and so is the topic if the listener has only one; add
 * {@link KafkaReplay#ids} and {@link KafkaReplay#effects}. Thread-safe.
 */
public final class KafkaReplays {
    private final KafkaListenerEndpointRegistry registry;
    private final KafkaAdmin admin;
    private final Timeline timeline;

    /** Called by Spring. */
    public KafkaReplays(KafkaListenerEndpointRegistry registry, KafkaAdmin admin, Timeline timeline) {
        this.registry = registry;
        this.admin = admin;
        this.timeline = timeline;
    }

    /**
     * Returns the builder of a replay to a listener.
     *
     * @param listenerId the {@code id} of its {@code @KafkaListener}
     * @throws IllegalArgumentException when there is no such listener; lists the existing ones
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
        } // otherwise build() requires topic(...)
        return replay;
    }

    /**
     * Returns the builder of a fault plan's traffic for a listener. Broker and group are known; add
     * {@link KafkaTraffic#records} and {@link KafkaTraffic#ids}. The listener itself runs in the plan's application; to
     * keep it from running here as well, set {@code spring.kafka.listener.auto-startup=false}.
     *
     * @param listenerId the {@code id} of its {@code @KafkaListener}
     * @throws IllegalArgumentException when there is no such listener; lists the existing ones
     */
    public KafkaTraffic traffic(String listenerId) {
        KafkaTraffic traffic = KafkaTraffic.of(admin.getConfigurationProperties());
        String group = container(listenerId).getGroupId();
        return group == null ? traffic : traffic.group(group);
    }

    private MessageListenerContainer container(String listenerId) {
        MessageListenerContainer container = registry.getListenerContainer(listenerId);
        if (container == null) {
            throw new IllegalArgumentException("There is no @KafkaListener with id " + listenerId + "; existing ids: "
                    + registry.getListenerContainerIds().stream().sorted().collect(Collectors.toList()));
        }
        return container;
    }
}
