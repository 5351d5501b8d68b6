package io.dedup.kafka;

import io.dedup.MissingMessageIdException;
import io.dedup.PayloadConflictException;
import io.dedup.PoisonMessageException;
import io.dedup.kafka.internal.spring.PostProcessors;
import io.dedup.kafka.internal.spring.RetryTopicHook;
import java.lang.reflect.AnnotatedElement;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.kafka.annotation.KafkaListenerAnnotationBeanPostProcessor;
import org.springframework.kafka.annotation.KafkaListenerAnnotationBeanPostProcessor.AnnotationEnhancer;
import org.springframework.kafka.config.KafkaListenerConfigUtils;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.ExceptionClassifier;
import org.springframework.kafka.retrytopic.DestinationTopicContainer;
import org.springframework.kafka.retrytopic.DestinationTopicResolver;
import org.springframework.kafka.retrytopic.RetryTopicConfigurer;

/**
 * Decorates the containers of all {@code @KafkaListener}s of an application, including those of
 * {@code @RetryableTopic}'s retry and dead-letter topics. Declare it as a bean in a static method, because Spring needs
 * it before other beans exist:
 *
 * <pre>{@code
 * @Bean
 * static KafkaDedupInstaller dedupInstaller(ObjectProvider<KafkaDedup> kafka) {
 *     return KafkaDedupInstaller.ofAll(kafka::getObject);
 * }
 * }</pre>
 *
 * <p>It runs after the factory's {@code ContainerCustomizer} and after the annotation's {@code containerPostProcessor};
 * both are kept. It doesn't decorate containers that are created without an annotation (use
 * {@link KafkaDedup#decorate}), nor those of a {@code ShareKafkaListenerContainerFactory}, which calls no
 * post-processor (see {@link KafkaDedup#shareGroups}). Thread-safe.
 */
public final class KafkaDedupInstaller implements BeanPostProcessor, BeanNameAware, BeanFactoryAware, PriorityOrdered {
    private static final Logger log = LoggerFactory.getLogger(KafkaDedup.class);
    private static final String ATTRIBUTE = "containerPostProcessor";

    /** Decides which listeners are deduplicated, and by which {@link KafkaDedup}. */
    @FunctionalInterface
    public interface Selection {
        /**
         * Called once for each listener, when its container is created. Not called for the containers of its retry and
         * dead-letter topics, which get the same {@link KafkaDedup} as their main container.
         *
         * @param container not started; its listener ID, group and topics are set
         * @param annotated the method or class that carries the {@code @KafkaListener}
         * @return null to leave the listener undecorated
         */
        @Nullable
        KafkaDedup dedupOf(AbstractMessageListenerContainer<?, ?> container, AnnotatedElement annotated);
    }

    private final Selection selection;
    private final PostProcessors postProcessors = new PostProcessors(this::decorate);
    /** By the ID of the main listener. */
    private final Map<String, Optional<KafkaDedup>> selected = new ConcurrentHashMap<>();

    private @Nullable String expression;
    private @Nullable DefaultListableBeanFactory beans;
    private @Nullable String name;

    /** Creates an installer for the listeners that the selection chooses. */
    public KafkaDedupInstaller(Selection selection) {
        this.selection = Objects.requireNonNull(selection, "selection");
    }

    /**
     * Creates an installer for all annotated listeners.
     *
     * @param dedup called for each listener when its container is created
     */
    public static KafkaDedupInstaller ofAll(Supplier<KafkaDedup> dedup) {
        return new KafkaDedupInstaller((container, annotated) -> dedup.get());
    }

    @Override
    public void setBeanName(String beanName) {
        name = beanName;
    }

    @Override
    public void setBeanFactory(BeanFactory factory) {
        if (!(factory instanceof DefaultListableBeanFactory listable)) {
            throw new IllegalStateException(
                    "KafkaDedupInstaller needs a DefaultListableBeanFactory, but the bean factory is a "
                            + factory.getClass().getName());
        }
        if (listable.containsSingleton(KafkaListenerConfigUtils.KAFKA_LISTENER_ANNOTATION_PROCESSOR_BEAN_NAME)) {
            throw new IllegalStateException("KafkaDedupInstaller " + name
                    + " was created after spring-kafka's processor of @KafkaListener, so listeners would run undecorated:"
                    + " declare it in a static @Bean method, and let no other bean post-processor depend on either");
        }
        beans = listable;
        postProcessors.use(factory);
        String helper = name + ".postProcessors";
        listable.registerSingleton(helper, postProcessors);
        expression = "@'" + helper.replace("'", "''") + "'";
    }

    /**
     * Makes spring-kafka look for enhancers of annotations while ours is a bean, and only then: an enhancer is a
     * {@link java.util.function.BiFunction}, so Spring Cloud Function would take it for a function of the application.
     */
    private void enhance(KafkaListenerAnnotationBeanPostProcessor<?, ?> processor) {
        DefaultListableBeanFactory factory = Objects.requireNonNull(beans, "KafkaDedupInstaller isn't a bean");
        String helper = name + ".enhancer";
        factory.registerSingleton(helper, new Enhancer());
        try {
            Object unused = processor.postProcessAfterInitialization(this, helper); // has no listeners
        } finally {
            factory.destroySingleton(helper);
        }
    }

    /** Last, so that the attributes set by other enhancers are kept. */
    private final class Enhancer implements AnnotationEnhancer, Ordered {
        @Override
        public Map<String, Object> apply(Map<String, Object> attributes, AnnotatedElement annotated) {
            Map<String, Object> changed = new HashMap<>(attributes);
            changed.put(ATTRIBUTE, postProcessors.expression(Objects.requireNonNull(expression), annotated, (String)
                    attributes.get(ATTRIBUTE)));
            return changed;
        }

        @Override
        public int getOrder() {
            return Ordered.LOWEST_PRECEDENCE;
        }
    }

    private void decorate(AbstractMessageListenerContainer<?, ?> container, AnnotatedElement annotated) {
        String main = container.getMainListenerId();
        KafkaDedup dedup = main != null && selected.containsKey(main)
                ? selected.get(main).orElse(null)
                : selection.dedupOf(container, annotated);
        String id = container.getListenerId();
        if (main == null && id != null) {
            selected.put(id, Optional.ofNullable(dedup));
        }
        if (dedup != null) {
            dedup.decorate(container);
        }
    }

    /** {@code @RetryableTopic} wraps the listener and replaces the error handler after the annotation's post-processor. */
    private void completeRetryTopic(AbstractMessageListenerContainer<?, ?> container) {
        String main = container.getMainListenerId();
        String id = main == null ? container.getListenerId() : main;
        Optional<KafkaDedup> dedup = id == null ? Optional.empty() : selected.getOrDefault(id, Optional.empty());
        if (dedup.isEmpty()) {
            return;
        }
        if (main == null && beans != null) {
            dedup.get().retryTopics(container, beans.getBean(DestinationTopicContainer.class));
        }
        dedup.get().decorate(container);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof KafkaListenerAnnotationBeanPostProcessor<?, ?> processor) {
            enhance(processor);
        }
        if (bean instanceof RetryTopicConfigurer configurer) {
            try {
                RetryTopicHook.after(configurer, this::completeRetryTopic);
            } catch (ReflectiveOperationException
                    | RuntimeException e) { // ContainerStartCheck then refuses these containers
                log.warn(
                        "Cannot decorate containers of @RetryableTopic: this version of spring-kafka has no field for"
                                + " it that KafkaDedup knows. Such containers refuse to start",
                        e);
            }
        }
        if (bean instanceof DestinationTopicResolver && bean instanceof ExceptionClassifier classifier) {
            classifier.addNotRetryableExceptions(
                    MissingMessageIdException.class, PayloadConflictException.class, PoisonMessageException.class);
        }
        return bean;
    }

    /** Before spring-kafka's processor of annotations, which this one has to see when it is created. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }
}
