package io.dedup.spring.boot.internal.method;

import io.dedup.adapter.DedupAdapter;
import io.dedup.id.MessageIdExtractor;
import io.dedup.policy.DedupMode;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.call.CallWaits;
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
import io.dedup.spring.boot.internal.text.SettingText;
import io.dedup.spring.boot.internal.text.YamlPath;
import io.dedup.store.transaction.HandlerInspector;
import io.dedup.store.transaction.HandlerMethod;
import io.dedup.store.transaction.TransactionalRecords;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.DecoratingProxy;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.util.ClassUtils;

/**
 * Decides which annotated methods are deduplicated, and by what: at start for the methods of all beans, with the first call for those
 * that are called earlier. Thread-safe.
 */
public final class DeduplicatedMethods implements SmartInitializingSingleton, RiskCheck {
    static final String BROKER = "method";
    private static final String REPLACED_BY_TESTS = "org.springframework.test.context.bean.override.";

    private final ConfigurableListableBeanFactory beans;
    private final ListenerPlanner planner;
    private final DeduplicatorRegistry registry;
    private final KnownTopics known;
    private final MethodIds ids;
    private final CallWaits waits;
    private final UnaryOperator<String> placeholders;
    private final Map<Called, Optional<MethodCalls>> calls = new ConcurrentHashMap<>();
    private final Map<DeduplicatedMethod, String> beanOf = new ConcurrentHashMap<>();
    private final List<Warning> warnings = new ArrayList<>();

    /** A method of a bean's class, as a proxy is called. */
    private record Called(Class<?> type, Method method) {}

    /**
     * For the methods of an application.
     *
     * @param placeholders resolves <code>${...}</code>
     */
    public DeduplicatedMethods(
            ConfigurableListableBeanFactory beans,
            ListenerPlanner planner,
            DeduplicatorRegistry registry,
            KnownTopics known,
            MethodIds ids,
            CallWaits waits,
            UnaryOperator<String> placeholders) {
        this.beans = beans;
        this.planner = planner;
        this.registry = registry;
        this.known = known;
        this.ids = ids;
        this.waits = waits;
        this.placeholders = placeholders;
    }

    /** By their types, so that beans that are made later count, too. */
    @Override
    public void afterSingletonsInstantiated() {
        for (String name : beans.getBeanNamesForType(Object.class)) {
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
            if (type == null
                    || type.getName().startsWith("org.springframework.")
                    || ScopedProxyUtils.isScopedTarget(name)) {
                continue;
            }
            Class<?> user = ClassUtils.getUserClass(type);
            Warning ofClass = MethodRules.hasUselessTopic(user) ? uselessTopic(user) : null;
            if (ofClass != null && !warnings.contains(ofClass)) { // there may be several beans of it
                warnings.add(ofClass);
            }
            for (DeduplicatedMethod method : annotated(user)) {
                if (method.hasTopic()) {
                    prepare(method, name);
                } else if (!MethodRules.isOfAdapter(method) && !MethodRules.makesBean(method)) {
                    warnings.add(notDeduplicated(method));
                }
            }
        }
    }

    /** Whether a test has replaced beans, as {@code @MockitoBean} does; such an object has no proxy, and needs none. */
    private boolean isOfTest() {
        return Arrays.stream(beans.getSingletonNames()).anyMatch(name -> name.startsWith(REPLACED_BY_TESTS));
    }

    private static List<DeduplicatedMethod> annotated(Class<?> type) {
        MetadataLookup<DeduplicatedMethod> lookup = method -> DeduplicatedMethod.of(type, method);
        return MethodIntrospector.selectMethods(type, lookup).values().stream()
                .distinct()
                .sorted(Comparator.comparing(DeduplicatedMethod::signature)) // reflection has no order
                .toList();
    }

    private void prepare(DeduplicatedMethod method, String bean) {
        Optional<MethodCalls> its =
                calls.computeIfAbsent(new Called(method.type(), method.method()), key -> plan(method));
        if (its.isEmpty()) {
            return;
        }
        String other = beanOf.putIfAbsent(method, bean);
        if (other != null) {
            throw MethodRules.refused(
                    method,
                    "is called on two beans, " + other + " and " + bean
                            + ", and each would take the messages that the other has handled for duplicates. Give each bean a"
                            + " class of its own, with its own consumer");
        }
        if (its.get().mayHoldPublisher()) {
            warnings.add(holdsPublisher(method));
        }
        Object made = beans.getSingleton(bean);
        if (made != null
                && !(made instanceof AopInfrastructureBean)
                && !(made instanceof FactoryBean)
                && (AopUtils.isAopProxy(made) || !isOfTest())) {
            MethodRules.requireIntercepted(method, made);
        }
    }

    private static Warning holdsPublisher(DeduplicatedMethod method) {
        return new Warning(
                "Method " + method.name()
                        + " is a @TransactionalEventListener that waits while the store is down or its ID is in flight, on the"
                        + " thread of its publisher, which still holds the connection of its transaction: a few events may"
                        + " use up the pool",
                "Add @Async, or set " + YamlPath.listener(method.name()) + ".max-wait to a few seconds.");
    }

    private static Warning uselessTopic(Class<?> type) {
        return new Warning(
                "Class " + type.getSimpleName()
                        + " is annotated with @Deduplicated and a topic, but that deduplicates single methods only, and none of"
                        + " this class by it",
                "Put the annotation on the methods, or remove it.");
    }

    private static Warning notDeduplicated(DeduplicatedMethod method) {
        return new Warning(
                "Method " + method.name()
                        + " is annotated with @Deduplicated, but isn't deduplicated: it is no listener of"
                        + " Kafka or RocketMQ, and the annotation has no topic",
                "Set topic, consumer and id of the annotation, or remove it.");
    }

    /** The calls of a method; null where it isn't deduplicated. */
    @Nullable
    MethodCalls of(Class<?> type, Method called) {
        Called key = new Called(type, called);
        Optional<MethodCalls> found = calls.get(key);
        if (found == null) {
            DeduplicatedMethod method = DeduplicatedMethod.of(type, called);
            if (method == null || !method.hasTopic()) {
                found = Optional.empty();
            } else { // it may have been called through an interface
                found = calls.computeIfAbsent(new Called(type, method.method()), unused -> plan(method));
            }
            calls.put(key, found);
        }
        return found.orElse(null);
    }

    private Optional<MethodCalls> plan(DeduplicatedMethod method) {
        MethodRules.require(method);
        String topic = placeholders.apply(method.annotation().topic());
        ListenerSpec spec =
                new ListenerSpec(method.name(), method.signature(), Set.of(topic), null, method.annotation());
        known.add(spec);
        PlannedListener planned = planner.plan(spec);
        if (planned == null) {
            return Optional.empty();
        }
        if (!planned.named()) {
            throw new DedupConfigurationException(
                    "Method " + method.name() + " has no consumer name within which its IDs are unique.",
                    "Set consumer of its @Deduplicated. Changing a consumer name forgets windows.");
        }
        TopicPlan plan = planned.byTopic().get(topic);
        if (plan == null) {
            throw new IllegalStateException("it was planned for " + topic);
        }
        if (plan.policy().fingerprint()) {
            throw MethodRules.refused(
                    method,
                    "would have to compare payloads by fingerprint, but a method has arguments, and no payload");
        }
        MessageIdExtractor<? super List<@Nullable Object>> id = extractor(plan, method);
        ServingDeduplicator serving = registry.serve(
                        BROKER, planned, candidate -> requireInTransaction(method, candidate, topic))
                .servedBy();
        return Optional.of(new MethodCalls(method, topic, serving.deduplicator(), id, waits, planner.maxWait(spec)));
    }

    private MessageIdExtractor<? super List<@Nullable Object>> extractor(TopicPlan plan, DeduplicatedMethod method) {
        try {
            return ids.of(plan.id(), method.method());
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw TopicPlans.idRefused(plan.idProperty(), e);
        }
    }

    private static void requireInTransaction(DeduplicatedMethod method, ServingDeduplicator serving, String topic) {
        DedupMode mode = serving.deduplicator().topic(topic).policy().mode();
        TransactionalRecords records = DedupAdapter.of(serving.deduplicator()).records();
        if (!mode.isTransactional() || !(records instanceof HandlerInspector inspector)) {
            return;
        }
        DecoratingProxy bean = method::type; // which needn't be made yet
        String problem = inspector.outside(
                bean,
                new HandlerMethod(
                        method.method().getDeclaringClass(),
                        method.method().getName(),
                        List.of(method.method().getParameterTypes())));
        if (problem != null) {
            throw MethodRules.refused(method, problem + ", but topic " + topic + " has mode " + SettingText.of(mode));
        }
    }

    @Override
    public List<Warning> warnings(List<DeduplicatedListener> served) {
        return List.copyOf(warnings);
    }
}
