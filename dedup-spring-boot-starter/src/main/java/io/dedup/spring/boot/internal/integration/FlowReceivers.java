package io.dedup.spring.boot.internal.integration;

import io.dedup.id.MessageIdExtractor;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.Deduplicated;
import io.dedup.spring.boot.internal.call.CallResult;
import io.dedup.spring.boot.internal.call.CallWaits;
import io.dedup.spring.boot.internal.call.DeduplicatedCalls;
import io.dedup.spring.boot.internal.call.DeduplicatedCalls.Patience;
import io.dedup.spring.boot.internal.call.RequestThread;
import io.dedup.spring.boot.internal.check.RiskCheck;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.deduplicator.ServingDeduplicator;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.ListenerPlanner;
import io.dedup.spring.boot.internal.plan.ListenerSpec;
import io.dedup.spring.boot.internal.plan.PlannedListener;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import io.dedup.spring.boot.internal.store.MethodTransactions;
import io.dedup.spring.boot.internal.text.YamlPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.integration.endpoint.IntegrationConsumer;
import org.springframework.integration.endpoint.ReactiveStreamsConsumer;
import org.springframework.integration.handler.ReactiveMessageHandlerAdapter;
import org.springframework.messaging.Message;
import org.springframework.messaging.ReactiveMessageHandler;
import org.springframework.util.ConcurrentReferenceHashMap;
import org.springframework.util.ConcurrentReferenceHashMap.ReferenceType;

/** Plans advices of handlers like the annotated methods, and looks at the handlers before their endpoints start. Thread-safe. */
public final class FlowReceivers implements RiskCheck {
    static final String BROKER = "integration";

    private final ListenerPlanner planner;
    private final DeduplicatorRegistry registry;
    private final KnownTopics known;
    private final FlowMessageIds ids;
    private final CallWaits waits;
    private final ListableBeanFactory beans;
    private final Map<Advice, Receiver> receivers = new ConcurrentHashMap<>();

    /** The handlers behind one advice. Thread-safe. */
    public static final class Receiver {
        private final String name;
        private final boolean transactional;
        private final @Nullable DeduplicatedCalls<Message<?>> calls;
        /** Those that were looked at: it takes as long as some messages do. */
        private final Map<Object, Boolean> safe = new ConcurrentReferenceHashMap<>(1, ReferenceType.WEAK);

        private Receiver(String name, boolean transactional, @Nullable DeduplicatedCalls<Message<?>> calls) {
            this.name = name;
            this.transactional = transactional;
            this.calls = calls;
        }

        /** One that runs every message. */
        public static Receiver switchedOff(String name) {
            return new Receiver(name, false, null);
        }

        /**
         * Checks a handler whose flow may have been registered after the start.
         *
         * @param handler as it is called, with its proxies
         * @throws IllegalStateException when its effect could be lost or happen twice
         */
        public void require(Object handler, Advice advice) {
            if (calls == null || safe.containsKey(handler)) {
                return;
            }
            String problem = HandlerRules.problem(handler, advice, transactional);
            if (problem != null) {
                throw new IllegalStateException("The handler " + handler + " " + problem);
            }
            safe.put(handler, true);
        }

        /**
         * Runs a handler, if no earlier message with the same ID has taken effect; see {@link DeduplicatedCalls#run}.
         *
         * @return whether it ran
         */
        public boolean handle(Message<?> message, DeduplicatedCalls.Body handler) throws Throwable {
            if (calls == null) {
                handler.run();
                return true;
            }
            if (MethodTransactions.isOpen()) {
                throw new IllegalStateException("The advice " + name
                        + " was called in an open transaction. If that were rolled back, the effect would be gone, but recorded as"
                        + " done. Remove the transaction, such as that of a poller, and use mode transactional, which opens one"
                        + " around the handler");
            }
            Patience patience = RequestThread.isCurrent() ? Patience.SHORT : Patience.LONG;
            return calls.run(message, handler, patience) instanceof CallResult.Returned;
        }
    }

    public FlowReceivers(
            ListenerPlanner planner,
            DeduplicatorRegistry registry,
            KnownTopics known,
            FlowMessageIds ids,
            CallWaits waits,
            ListableBeanFactory beans) {
        this.planner = planner;
        this.registry = registry;
        this.known = known;
        this.ids = ids;
        this.waits = waits;
        this.beans = beans;
    }

    /**
     * Plans an advice.
     *
     * @param advice which the endpoints name
     * @param name under which it is configured in {@code dedup.listeners}
     * @param id an expression, which the configuration may replace; null for {@code strategy}
     * @param strategy null for {@code id}
     * @throws DedupConfigurationException when it cannot be deduplicated as configured
     */
    public Receiver of(
            Advice advice,
            String name,
            String topic,
            String consumer,
            @Nullable String id,
            @Nullable MessageIdExtractor<Message<?>> strategy) {
        Deduplicated settings = MergedAnnotation.of(
                        Deduplicated.class,
                        Map.of("topic", topic, "consumer", consumer, "id", id == null ? "bean:keyStrategy" : id))
                .synthesize();
        ListenerSpec spec = new ListenerSpec(name, name, Set.of(topic), settings);
        known.add(spec);
        PlannedListener planned = planner.plan(spec);
        if (planned == null) {
            return Receiver.switchedOff(name);
        }
        TopicPlan plan = Objects.requireNonNull(planned.byTopic().get(topic));
        if (plan.policy().fingerprint()) {
            throw new DedupConfigurationException(
                    "The advice " + name
                            + " would have to compare payloads by fingerprint, but the payload of a flow is an object.",
                    "Set " + YamlPath.listener(name) + ".fingerprint: false.");
        }
        MessageIdExtractor<? super Message<?>> extractor =
                strategy == null ? extractor(plan) : FlowMessageIds.requireStable(strategy);
        ServingDeduplicator serving =
                registry.serve(BROKER, planned, unused -> {}).servedBy();
        Receiver receiver = new Receiver(
                name,
                plan.policy().mode().isTransactional(),
                new DeduplicatedCalls<>(
                        topic,
                        serving.deduplicator(),
                        extractor,
                        "topic " + topic + ", advice " + name,
                        waits,
                        planner.maxWait(spec)));
        receivers.put(advice, receiver);
        return receiver;
    }

    /** @throws DedupConfigurationException for a handler whose effect could be lost or happen twice */
    @Override
    public List<Warning> warnings(List<DeduplicatedListener> served) {
        List<Warning> warnings = new ArrayList<>();
        beans.getBeansOfType(IntegrationConsumer.class, false, false).forEach((name, endpoint) -> {
            Object handler = endpoint.getHandler() instanceof ReactiveMessageHandlerAdapter adapter
                    ? adapter.getDelegate()
                    : endpoint.getHandler();
            for (Advice advice : HandlerRules.advices(handler, null)) {
                Receiver receiver = receivers.get(advice);
                if (receiver != null) {
                    String problem = handler instanceof ReactiveMessageHandler
                            ? "is a ReactiveMessageHandler, on which Spring Integration doesn't call the advice, so that each duplicate"
                                    + " would take effect. Use a MessageHandler, which returns when its effect has happened"
                            : HandlerRules.problem(handler, advice, receiver.transactional);
                    if (problem != null) {
                        throw new DedupConfigurationException(
                                "The advice " + receiver.name + " cannot deduplicate the handler of endpoint " + name
                                        + ": it " + problem + ".",
                                "Change the handler, or remove the advice.");
                    }
                    if (endpoint instanceof ReactiveStreamsConsumer) {
                        warnings.add(new Warning(
                                "Endpoint " + name + ", which the advice " + receiver.name
                                        + " deduplicates, reads its channel as a reactive stream: a sender doesn't learn that its"
                                        + " message has failed or was deferred, and a source that acknowledges it loses it",
                                "Use a DirectChannel, and no reactive() endpoint; or acknowledge in the handler."));
                    }
                }
            }
        });
        return warnings;
    }

    private MessageIdExtractor<? super Message<?>> extractor(TopicPlan plan) {
        try {
            return ids.of(plan.id());
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw TopicPlans.idRefused(plan.idProperty(), e);
        }
    }
}
