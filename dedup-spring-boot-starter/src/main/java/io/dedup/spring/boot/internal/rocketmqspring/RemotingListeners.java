package io.dedup.spring.boot.internal.rocketmqspring;

import io.dedup.adapter.DedupAdapter;
import io.dedup.id.MessageIdExtractor;
import io.dedup.policy.DedupMode;
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
import io.dedup.spring.boot.internal.plan.TopicPlan;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import io.dedup.spring.boot.internal.text.SettingText;
import io.dedup.store.transaction.HandlerInspector;
import io.dedup.store.transaction.HandlerMethod;
import io.dedup.store.transaction.TransactionalRecords;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.common.message.MessageExt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

/** Decides which listeners of rocketmq-spring are deduplicated, and by what. Thread-safe. */
public final class RemotingListeners implements ApplicationListener<ContextClosedEvent> {
    private static final String BROKER = "RocketMQ"; // a group that moves to the newer client keeps its deduplicator
    private static final Logger log = LoggerFactory.getLogger("io.dedup");

    private final ListenerPlanner planner;
    private final DeduplicatorRegistry registry;
    private final RemotingIds ids;
    private final KnownTopics known;
    private final ApplicationContext context;
    private final Map<ServingDeduplicator, RemotingDedup> byDeduplicator = new ConcurrentHashMap<>();

    /**
     * For the listeners of an application.
     *
     * @param context whose end limits the waits of messages
     */
    public RemotingListeners(
            ListenerPlanner planner,
            DeduplicatorRegistry registry,
            RemotingIds ids,
            KnownTopics known,
            ApplicationContext context) {
        this.planner = planner;
        this.registry = registry;
        this.ids = ids;
        this.known = known;
        this.context = context;
    }

    /**
     * Decorates the listener of a container's consumer, if it is to be deduplicated.
     *
     * @throws DedupConfigurationException when it can't be deduplicated as configured
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
        planned.byTopic()
                .values()
                .forEach(this::extractor); // refuses what isn't for RocketMQ, before anything is opened
        var unused = registry.serve(BROKER, planned, serving -> {
            requireInTransaction(container, serving, planned);
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
                    "RocketMQ listener " + container.name() + " can't be deduplicated: " + e.getMessage() + ".",
                    "Change that setting of its @RocketMQMessageListener, or switch off deduplication of this listener with"
                            + " dedup.listeners." + container.name() + ".enabled: false.",
                    e);
        }
    }

    private static void requireInTransaction(
            ListenerContainer container, ServingDeduplicator serving, PlannedListener planned) {
        TransactionalRecords records = DedupAdapter.of(serving.deduplicator()).records();
        if (!(records instanceof HandlerInspector inspector)) {
            return;
        }
        Method handler = container.handler();
        for (String topic : planned.byTopic().keySet()) {
            DedupMode mode = serving.deduplicator().topic(topic).policy().mode();
            String problem = mode.isTransactional()
                    ? inspector.outside(
                            container.listener(),
                            new HandlerMethod(
                                    handler.getDeclaringClass(),
                                    handler.getName(),
                                    List.of(handler.getParameterTypes())))
                    : null;
            if (problem != null) {
                throw new DedupConfigurationException(
                        "RocketMQ listener " + container.name() + " can't be deduplicated: topic " + topic
                                + " has mode " + SettingText.of(mode) + ", but its handler " + problem,
                        "Change the handler, or switch off deduplication of this listener with dedup.listeners."
                                + container.name() + ".enabled: false.");
            }
        }
    }

    private RemotingDedup open(ServingDeduplicator serving) {
        RemotingDedupBuilder builder = RemotingDedup.builder(serving.deduplicator());
        serving.topics().forEach((topic, plan) -> {
            try {
                builder.id(topic, extractor(plan));
            } catch (DedupConfigurationException e) {
                log.debug("Topic {} isn't for RocketMQ", topic, e); // a listener that reads it all the same was refused
            }
        });
        return builder.build();
    }

    private MessageIdExtractor<? super MessageExt> extractor(TopicPlan plan) {
        try {
            return ids.of(plan.id());
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw TopicPlans.idRefused(plan.idProperty(), e);
        }
    }

    /** Before the containers stop: closing consumers wait for messages that wait in place. */
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext() == context) { // not a child's
            byDeduplicator.values().forEach(RemotingDedup::close);
        }
    }
}
