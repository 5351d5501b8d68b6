package io.dedup.testkit.kafka;

import java.util.List;
import org.springframework.kafka.listener.MessageListenerContainer;

/** The listener containers of a group, for a replay to stop and start. Thread-safe as far as the containers are. */
public final class SpringContainers implements StoppableConsumers {
    private final List<MessageListenerContainer> containers;

    private SpringContainers(List<MessageListenerContainer> containers) {
        this.containers = containers;
    }

    /** Takes all containers of the group: if one is missing, the group cannot be rewound. */
    public static SpringContainers of(MessageListenerContainer... containers) {
        return new SpringContainers(List.of(containers));
    }

    @Override
    public void stop() {
        containers.forEach(MessageListenerContainer::stop);
    }

    @Override
    public void start() {
        containers.forEach(MessageListenerContainer::start);
    }
}
