package io.dedup.spring.boot.internal.kafka.stream;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.DedupProperties;
import io.dedup.spring.boot.internal.check.StartTable;
import io.dedup.spring.boot.internal.kafka.KafkaContainerCheck;
import io.dedup.spring.boot.internal.kafka.KafkaListeners.Decorated;
import io.dedup.spring.boot.internal.kafka.inbound.InboundListener;
import io.dedup.spring.boot.internal.kafka.inbound.InboundListeners;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.ListenerPlanner;
import io.dedup.spring.boot.internal.plan.ListenerSpec;
import io.dedup.spring.boot.internal.store.DedupStores;
import io.dedup.spring.boot.internal.text.YamlPath;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.cloud.stream.binder.Binding;
import org.springframework.cloud.stream.binder.BindingCreatedEvent;
import org.springframework.cloud.stream.binder.DefaultBinderFactory;
import org.springframework.cloud.stream.binder.kafka.KafkaMessageChannelBinder;
import org.springframework.cloud.stream.config.BindingServiceProperties;
import org.springframework.cloud.stream.function.BindableFunctionProxyFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.StringUtils;

/**
 * Deduplicates bindings. The binder sets the message listener of a container after all its customizers and starts it at once. So a
 * binding that is deduplicated is made without being started, then decorated, and then started. If that fails, it stays stopped.
 * Thread-safe.
 */
public final class StreamBindings
        implements DefaultBinderFactory.Listener,
                ApplicationListener<BindingCreatedEvent>,
                SmartInitializingSingleton,
                SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger("io.dedup");
    /** The bindings start at DEFAULT_PHASE - 3000. */
    private static final int AFTER_BINDINGS = SmartLifecycle.DEFAULT_PHASE - 2999;

    private final ApplicationContext context;
    private final StreamFunctions functions;
    private final StreamRules rules;
    private final Map<String, Waiting> waiting = new ConcurrentHashMap<>();
    private final List<ListenerSpec> inputs = new CopyOnWriteArrayList<>();
    private final Set<String> seen = ConcurrentHashMap.newKeySet();
    private final Set<String> bound = ConcurrentHashMap.newKeySet();
    private volatile @Nullable DedupConfigurationException refused;
    private volatile boolean running;

    /** A container without a listener, whose binding isn't started. */
    private record Waiting(
            StreamContainer made, boolean start, @Nullable DedupConfigurationException problem) {}

    /**
     * For the bindings of an application.
     *
     * @param context asked for the other parts when there is a binding, because this is made before most beans
     */
    public StreamBindings(ApplicationContext context) {
        this.context = context;
        this.functions = new StreamFunctions(context);
        this.rules = new StreamRules(functions);
    }

    private InboundListeners listeners() {
        return context.getBean(InboundListeners.class);
    }

    /** Bindings are made when the application starts, after the checks of unused settings. */
    @Override
    public void afterSingletonsInstantiated() {
        KnownTopics known = context.getBean(KnownTopics.class);
        BindingServiceProperties bindings = context.getBean(BindingServiceProperties.class);
        context.getBeansOfType(BindableFunctionProxyFactory.class)
                .values()
                .forEach(function -> function.getInputs().forEach(input -> {
                    String topics = bindings.getBindingDestination(input);
                    ListenerSpec spec = new ListenerSpec(
                            input,
                            bindings.getGroup(input),
                            Set.copyOf(StringUtils.commaDelimitedListToSet(topics)),
                            null);
                    inputs.add(spec);
                    known.add(spec);
                    known.expectMoreTopics(); // a destination may be a pattern
                }));
    }

    @Override
    public void afterBinderContextInitialized(String name, ConfigurableApplicationContext binderContext) {
        binderContext
                .getBeansOfType(KafkaMessageChannelBinder.class)
                .values()
                .forEach(binder -> StreamCustomizers.add(binder, this::created));
    }

    /** An exception would be taken for a broker that cannot be reached, and the binding made again and again. */
    private void created(StreamContainer made) {
        DedupConfigurationException problem = null;
        seen.add(made.name());
        try {
            if (!listeners().isDeduplicated(made.container(), made.name())) {
                return;
            }
        } catch (DedupConfigurationException e) {
            problem = e;
        }
        waiting.put(made.name(), new Waiting(made, made.properties().isAutoStartup(), problem));
        made.properties().setAutoStartup(false);
    }

    /** Exceptions of listeners are swallowed here, so that the first one is thrown when all bindings are made. */
    @Override
    public void onApplicationEvent(BindingCreatedEvent event) {
        if (!(event.getSource() instanceof Binding<?> binding) || !binding.isInput()) {
            return;
        }
        bound.add(binding.getBindingName());
        Waiting its = waiting.remove(binding.getBindingName());
        if (its == null) {
            return;
        }
        its.made().properties().setAutoStartup(its.start()); // they may be those of the next destination, too
        try {
            if (its.problem() != null) {
                throw its.problem();
            }
            decorate(its.made());
            if (its.start()) {
                binding.start();
            }
        } catch (DedupConfigurationException e) {
            refuse(binding, e);
        } catch (RuntimeException e) {
            refuse(
                    binding,
                    new DedupConfigurationException(
                            "Binding " + binding.getBindingName() + " cannot be deduplicated: " + e,
                            "See the cause.",
                            e));
        }
    }

    /** A polled consumer has no container, and other binders make theirs elsewhere. */
    private void warnOfOthers() {
        boolean strict = context.getBean(DedupProperties.class).isStrict();
        for (ListenerSpec input : inputs) {
            if (seen.contains(input.name()) || !isBound(input) || !isConfigured(input)) {
                continue;
            }
            String problem = "Binding " + input.name() + " isn't deduplicated, although " + input.topics()
                    + " is in dedup.topics: it has a polled consumer, or its binder isn't the Kafka binder for message"
                    + " channels";
            String action = "Use @Deduplicated or a DedupReceiverInterceptor where its messages are handled, and set"
                    + " " + YamlPath.listener(input.name()) + ".enabled: false.";
            if (strict) {
                throw new DedupConfigurationException(
                        problem + ".", action + " (Without dedup.strict: true, this is only a warning.)");
            }
            log.warn("{}. {}", problem, action);
        }
    }

    /** Not while its broker cannot be reached. The name of a polled binding is that of its destination. */
    private boolean isBound(ListenerSpec input) {
        return bound.contains(input.name()) || input.topics().stream().anyMatch(bound::contains);
    }

    private boolean isConfigured(ListenerSpec input) {
        try {
            return context.getBean(ListenerPlanner.class).plan(input) != null;
        } catch (DedupConfigurationException e) { // only some of its topics, or without a group
            return true;
        }
    }

    private void refuse(Binding<?> binding, DedupConfigurationException problem) {
        binding.stop();
        if (running) {
            log.error("Binding {} stays stopped: {}", binding.getBindingName(), problem.getMessage(), problem);
        } else if (refused == null) {
            refused = problem;
        }
    }

    private void decorate(StreamContainer made) {
        rules.require(made, context.getBean(BindingServiceProperties.class).getGroup(made.name()));
        Decorated decorated = listeners()
                .decorate(new InboundListener(
                        made.name(),
                        made.container(),
                        rules.channel(made, context),
                        made.isRetrying()
                                ? StreamRules.property(made, "consumer.max-attempts")
                                : functions.repeated(made.name()),
                        made.isInTransaction() && !made.properties().isBatchMode()
                                ? null
                                : "the error channel of binding " + made.name(),
                        made.isDeadLettering() ? rules.deadLetters(made, context) : null));
        if (decorated != null) {
            var unused = KafkaContainerCheck.check(decorated); // its warnings are logged by its start
            rules.warn(made, context.getBean(DedupProperties.class).isStrict());
            log.info("{}", new StartTable(List.of(decorated.served()), context.getBean(DedupStores.class)).text());
        }
    }

    @Override
    public void start() {
        running = true;
        DedupConfigurationException problem = refused;
        if (problem != null) {
            throw problem;
        }
        warnOfOthers();
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return AFTER_BINDINGS;
    }
}
