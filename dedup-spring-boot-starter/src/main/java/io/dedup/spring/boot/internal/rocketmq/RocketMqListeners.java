package io.dedup.spring.boot.internal.rocketmq;

import static java.util.Objects.requireNonNull;

import io.dedup.id.MessageIdExtractor;
import io.dedup.rocketmq.RocketMqDedup;
import io.dedup.rocketmq.RocketMqDedupBuilder;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.check.StartTable;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.deduplicator.ServingDeduplicator;
import io.dedup.spring.boot.internal.plan.ListenerPlanner;
import io.dedup.spring.boot.internal.plan.ListenerSpec;
import io.dedup.spring.boot.internal.plan.PlannedListener;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import io.dedup.spring.boot.internal.rocketmqclients.Handlers;
import io.dedup.spring.boot.internal.rocketmqclients.RocketMqIds;
import io.dedup.spring.boot.internal.store.DedupStores;
import io.dedup.spring.boot.internal.text.NearestName;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.ClassUtils;

/** Decides which topics of RocketMQ's message listener beans are deduplicated, and by what. Thread-safe. */
public final class RocketMqListeners implements SmartLifecycle {
    static final String BROKER = "RocketMQ";
    private static final Logger log = LoggerFactory.getLogger("io.dedup");

    private static final Method CONSUME = ClassUtils.getMethod(MessageListener.class, "consume", MessageView.class);

    private final TopicPlans plans;
    private final ListenerPlanner planner;
    private final DeduplicatorRegistry registry;
    private final DedupStores stores;
    private final RocketMqIds<MessageView> ids;
    private final Supplier<Set<String>> groupsOfConsumerBeans;
    private final Map<ServingDeduplicator, RocketMqDedup> byDeduplicator = new ConcurrentHashMap<>();
    private final Map<RocketMqDedup, Set<String>> groups = new ConcurrentHashMap<>();
    private volatile boolean running;

    /**
     * For the listeners of an application.
     *
     * @param extractors those that are beans, by name
     * @param groupsOfConsumerBeans the groups for which {@link #endWaits} is called before their consumers are closed
     */
    public RocketMqListeners(
            TopicPlans plans,
            ListenerPlanner planner,
            DeduplicatorRegistry registry,
            DedupStores stores,
            Function<String, MessageIdExtractor<?>> extractors,
            Supplier<Set<String>> groupsOfConsumerBeans) {
        this.plans = plans;
        this.planner = planner;
        this.registry = registry;
        this.stores = stores;
        this.ids = MessageViews.ids(extractors);
        this.groupsOfConsumerBeans = groupsOfConsumerBeans;
    }

    /**
     * What handles a topic's messages: the listener itself where the topic isn't deduplicated.
     *
     * @param spec with one topic, and a group
     * @throws DedupConfigurationException when it cannot be deduplicated as configured
     */
    public MessageListener of(ListenerSpec spec, MessageListener listener) {
        PlannedListener planned = planner.plan(spec);
        if (planned == null) {
            spec.topics().forEach(topic -> notDeduplicated(spec.name(), topic));
            return listener;
        }
        String group = requireNonNull(spec.group());
        planned.byTopic().values().forEach(ids::of);
        ServingDeduplicator serving = registry.serve(
                        BROKER,
                        planned,
                        candidate ->
                                Handlers.requireInTransaction(spec.name(), candidate, listener, CONSUME, spec.topics()))
                .servedBy();
        RocketMqDedup dedup = byDeduplicator.computeIfAbsent(serving, this::open);
        groups.computeIfAbsent(dedup, unused -> ConcurrentHashMap.newKeySet()).add(group);
        if (running) { // what is known at start is in the table of all listeners
            log.info("{}", new StartTable(List.of(new DeduplicatedListener(planned, serving)), stores).text());
        }
        return dedup.decorate(group, listener);
    }

    private void notDeduplicated(String bean, String topic) {
        String similar = NearestName.of(topic, plans.topics().named().keySet());
        if (similar == null) {
            log.info("RocketMQ listener {}: topic {} is not deduplicated", bean, topic);
        } else {
            log.warn(
                    "RocketMQ listener {}: topic {} is not deduplicated, but dedup.topics has a similar name, {}. Correct it if"
                            + " it is meant for this topic",
                    bean,
                    topic,
                    similar);
        }
    }

    private RocketMqDedup open(ServingDeduplicator serving) {
        RocketMqDedupBuilder builder = RocketMqDedup.builder(serving.deduplicator());
        ids.forEach(serving, builder::id);
        return builder.build();
    }

    @Override
    public void start() {
        running = true;
    }

    /**
     * A consumer that isn't a bean may be closed at any time from now on. A consumer bean is closed later, and continues to receive until
     * then.
     */
    @Override
    public void stop() {
        running = false;
        Set<String> later = groupsOfConsumerBeans.get();
        endWaits(group -> !later.contains(group));
    }

    /** Limits how long messages wait in place, because closing consumers of these groups wait for them. */
    public void endWaits(Predicate<String> ofGroup) {
        groups.forEach((dedup, its) -> {
            if (its.stream().anyMatch(ofGroup)) {
                dedup.close();
            }
        });
    }

    /** A paused context continues later; its consumers don't stop meanwhile. Overrides since Spring 7: 6 pauses no context. */
    @SuppressWarnings("MissingOverride")
    public boolean isPauseable() {
        return false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
