package io.dedup.spring.boot.internal.rocketmqspring;

import io.dedup.id.MessageIdExtractor;
import io.dedup.rocketmq.remoting.RemotingDedup;
import io.dedup.rocketmq.remoting.RemotingDedupBuilder;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.check.AsyncHandlers;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.deduplicator.ServingDeduplicator;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.ListenerPlanner;
import io.dedup.spring.boot.internal.plan.ListenerSpec;
import io.dedup.spring.boot.internal.plan.PlannedListener;
import io.dedup.spring.boot.internal.rocketmqclients.Handlers;
import io.dedup.spring.boot.internal.rocketmqclients.RocketMqIds;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.rocketmq.common.message.MessageExt;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

/** Decides which listeners of rocketmq-spring are deduplicated, and by what. Thread-safe. */
public final class RemotingListeners implements ApplicationListener<ContextClosedEvent> {
    private static final String BROKER = "RocketMQ"; // a group that moves to the newer client keeps its deduplicator

    private final ListenerPlanner planner;
    private final DeduplicatorRegistry registry;
    private final RocketMqIds<MessageExt> ids;
    private final KnownTopics known;
    private final ApplicationContext context;
    private final Map<ServingDeduplicator, RemotingDedup> byDeduplicator = new ConcurrentHashMap<>();

    /**
     * For the listeners of an application.
     *
     * @param extractors those that are beans, by name
     * @param context whose end limits the waits of messages
     */
    public RemotingListeners(
            ListenerPlanner planner,
            DeduplicatorRegistry registry,
            Function<String, MessageIdExtractor<?>> extractors,
            KnownTopics known,
            ApplicationContext context) {
        this.planner = planner;
        this.registry = registry;
        this.ids = RemotingMessages.ids(extractors);
        this.known = known;
        this.context = context;
    }

    /**
     * Decorates the listener of a container's consumer, if it is to be deduplicated.
     *
     * @throws DedupConfigurationException when it cannot be deduplicated as configured
     */
    void decorate(ListenerContainer container) {
        ListenerSpec spec = container.spec();
        known.add(spec);
        planner.requireOwnGroup(spec);
        PlannedListener planned = planner.plan(spec);
        if (planned == null) {
            return;
        }
        AsyncHandlers.refuse(container.name(), container.listener(), container.handler());
        planned.byTopic().values().forEach(ids::of); // refuses what isn't for RocketMQ, before anything is opened
        var unused = registry.serve(BROKER, planned, serving -> {
            Handlers.requireInTransaction(
                    container.name(),
                    serving,
                    container.listener(),
                    container.handler(),
                    planned.byTopic().keySet());
            decorate(container, byDeduplicator.computeIfAbsent(serving, this::open));
        });
    }

    private static void decorate(ListenerContainer container, RemotingDedup dedup) {
        try {
            if (container.replies()) {
                dedup.decorate(container.container().getConsumer(), new Replies(container));
            } else {
                dedup.decorate(container.container().getConsumer());
            }
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new DedupConfigurationException(
                    "RocketMQ listener " + container.name() + " cannot be deduplicated: " + e.getMessage() + ".",
                    "Change that setting of its @RocketMQMessageListener, or switch off deduplication of this listener with"
                            + " dedup.listeners." + container.name() + ".enabled: false.",
                    e);
        }
    }

    private RemotingDedup open(ServingDeduplicator serving) {
        RemotingDedupBuilder builder = RemotingDedup.builder(serving.deduplicator());
        ids.forEach(serving, builder::id);
        return builder.build();
    }

    /** Before the containers stop: closing consumers wait for messages that wait in place. */
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext() == context) { // not a child's
            byDeduplicator.values().forEach(RemotingDedup::close);
        }
    }
}
