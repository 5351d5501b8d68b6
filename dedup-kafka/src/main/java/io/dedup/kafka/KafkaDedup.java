package io.dedup.kafka;

import static java.util.Objects.requireNonNull;

import io.dedup.Deduplicator;
import io.dedup.MissingMessageIdException;
import io.dedup.PayloadConflictException;
import io.dedup.PoisonMessageException;
import io.dedup.kafka.internal.CloseOuts;
import io.dedup.kafka.internal.Timer;
import io.dedup.kafka.internal.claimahead.PollHooks;
import io.dedup.kafka.internal.claimahead.WatchedInterceptors;
import io.dedup.kafka.internal.container.Decoration;
import io.dedup.kafka.internal.container.StartCheck;
import io.dedup.kafka.internal.deferral.DeferralAwareErrorHandler;
import io.dedup.kafka.internal.deferral.DeferralAwareRollbackProcessor;
import io.dedup.kafka.internal.deferral.StorePauses;
import io.dedup.kafka.internal.handler.AsyncResults;
import io.dedup.kafka.internal.handler.Invocations;
import io.dedup.kafka.internal.listener.DedupBatchMessageListener;
import io.dedup.kafka.internal.listener.DedupMessageListener;
import io.dedup.kafka.internal.record.RecordDeliveries;
import io.dedup.kafka.internal.reply.Replies;
import io.dedup.kafka.internal.reply.ReplyTemplate;
import io.dedup.kafka.internal.settlement.DedupTransactionManager;
import io.dedup.kafka.internal.settlement.LaterMode;
import io.dedup.kafka.internal.spring.ConsumerSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.config.ContainerCustomizer;
import org.springframework.kafka.config.ContainerPostProcessor;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.AfterRollbackProcessor;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.ExceptionClassifier;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.adapter.KafkaBackoffAwareMessageListenerAdapter;
import org.springframework.kafka.retrytopic.DestinationTopicContainer;
import org.springframework.kafka.transaction.KafkaAwareTransactionManager;

/**
 * Makes spring-kafka listeners idempotent: each business message takes effect once within its deduplication window.
 *
 * <p>Decorates the message listener and the error handler of listener containers, before they start. One instance
 * decorates any number of containers. Thread-safe; close it after the containers have stopped and before the
 * {@link Deduplicator}, which it doesn't own.
 *
 * <p>A container is refused at its start, with an {@link IllegalStateException} that names the setting, when it would
 * lose or double messages: {@code enable.auto.commit}, a transaction manager that isn't Kafka's, and
 * {@code @RetryableTopic} without a {@link KafkaDedupInstaller}; in a transactional mode also a handler that runs outside of
 * its transaction, as far as it can be seen, or whose work ends later than its call.
 */
public final class KafkaDedup implements AutoCloseable {
    private final Deduplicator deduplicator;
    private final RecordDeliveries deliveries;
    private final Timer timer;
    private final StorePauses pauses;
    private final CloseOuts closeOuts = new CloseOuts();
    private final PollHooks hooks;
    private final boolean claimAhead;
    private final int maxUnfinished;
    private final Replies replies;

    KafkaDedup(
            Deduplicator deduplicator,
            RecordDeliveries deliveries,
            boolean claimAhead,
            int maxUnfinished,
            Replies replies) {
        this.claimAhead = claimAhead;
        this.maxUnfinished = maxUnfinished;
        this.replies = replies;
        this.deduplicator = deduplicator;
        this.deliveries = deliveries;
        this.timer = new Timer();
        this.pauses = new StorePauses(timer, deduplicator.engine());
        this.hooks = new PollHooks(timer);
    }

    /** A builder on top of a deduplicator, whose policies apply topic by topic. */
    public static KafkaDedupBuilder builder(Deduplicator deduplicator) {
        return new KafkaDedupBuilder(deduplicator);
    }

    /**
     * Decorates a container. Call it when the message listener and the error handler are set, and before the start;
     * a second call changes nothing.
     *
     * @throws IllegalStateException when there is no message listener yet, or the container runs
     */
    public void decorate(AbstractMessageListenerContainer<?, ?> container) {
        Object listener = container.getContainerProperties().getMessageListener();
        Decoration before = decoration(listener);
        if (before != null) {
            if (listener instanceof KafkaBackoffAwareMessageListenerAdapter<?, ?>
                    && !(container.getCommonErrorHandler()
                            instanceof DeferralAwareErrorHandler)) { // @RetryableTopic set its own
                container.setCommonErrorHandler(decorated(container.getCommonErrorHandler(), before));
            }
            return;
        }
        if (container.isRunning()) {
            throw new IllegalStateException(container.getListenerId() + " is running: decorate it before its start");
        }
        Invocations invocations = new Invocations(replies);
        boolean declaredLater = listener != null && AsyncResults.take(listener, invocations);
        boolean answers =
                listener != null && AsyncResults.stands(listener, invocations) && ReplyTemplate.take(listener, replies);
        Decoration decoration = new Decoration(
                container,
                deduplicator.engine(),
                deliveries,
                pauses,
                invocations,
                declaredLater,
                LaterMode.of(container, declaredLater, closeOuts),
                hooks,
                // a copy that is claimed with its first would be answered before there is a reply; and a record whose
                // commit got no answer mustn't be claimed by anybody before it has one
                claimAhead && !answers && !isInKafkaTransaction(container) && listener instanceof MessageListener<?, ?>,
                maxUnfinished,
                answers ? replies : null);
        hooks.install(ConsumerSettings.factoryOf(container));
        WatchedInterceptors.watch(container, decoration);
        container.setupMessageListener(decorated(listener, container, decoration));
        if (isInKafkaTransaction(container)) {
            decorateTransactions(container, decoration);
        } else {
            container.setCommonErrorHandler(decorated(container.getCommonErrorHandler(), decoration));
        }
    }

    /** Of a listener that was decorated, within the adapter of a retry topic or not; null of any other. */
    private static @Nullable Decoration decoration(@Nullable Object listener) {
        Object ours = listener instanceof KafkaBackoffAwareMessageListenerAdapter<?, ?> adapter
                ? adapter.getDelegate()
                : listener;
        if (ours instanceof DedupMessageListener<?, ?> records) {
            return records.decoration();
        }
        return ours instanceof DedupBatchMessageListener<?, ?> batches ? batches.decoration() : null;
    }

    @SuppressWarnings({"deprecation", "removal"})
    private static boolean isInKafkaTransaction(AbstractMessageListenerContainer<?, ?> container) {
        ContainerProperties properties = container.getContainerProperties();
        return properties.getKafkaAwareTransactionManager() != null
                || properties.getTransactionManager() instanceof KafkaAwareTransactionManager;
    }

    /** In a transaction the container has no error handler of its own: what fails is rolled back. */
    @SuppressWarnings({"deprecation", "removal", "unchecked"})
    private static <K, V> void decorateTransactions(
            AbstractMessageListenerContainer<K, V> container, Decoration decoration) {
        ContainerProperties properties = container.getContainerProperties();
        KafkaAwareTransactionManager<?, ?> manager = properties.getKafkaAwareTransactionManager();
        if (manager == null) {
            manager = (KafkaAwareTransactionManager<?, ?>) requireNonNull(properties.getTransactionManager());
            properties.setTransactionManager(null);
        }
        properties.setKafkaAwareTransactionManager(new DedupTransactionManager<>(manager, decoration));
        AfterRollbackProcessor<K, V> processor = (AfterRollbackProcessor<K, V>) container.getAfterRollbackProcessor();
        refuseRetries(processor);
        container.setAfterRollbackProcessor(new DeferralAwareRollbackProcessor<>(processor, decoration));
    }

    /** What is rejected is rejected again. */
    private static void refuseRetries(Object handler) {
        if (handler instanceof ExceptionClassifier classifier) {
            classifier.addNotRetryableExceptions(
                    MissingMessageIdException.class, PayloadConflictException.class, PoisonMessageException.class);
        }
    }

    /**
     * Looks at a decorated container before its start, which does the same.
     *
     * @return what is risky about it, for whom a warning in the log isn't enough
     * @throws IllegalStateException when its start would be refused
     * @throws IllegalArgumentException when one of its topics has no ID extractor
     */
    public List<String> check(AbstractMessageListenerContainer<?, ?> container) {
        Decoration decoration = decoration(container.getContainerProperties().getMessageListener());
        if (decoration == null) {
            throw new IllegalStateException(container.getListenerId()
                    + " isn't decorated, or its message listener was wrapped or replaced after it was: decorate last");
        }
        StartCheck check = new StartCheck(container, decoration);
        check.requireSafe();
        return check.warnings();
    }

    /** The main container of a {@code @RetryableTopic}, whose further topics are planned there. */
    void retryTopics(AbstractMessageListenerContainer<?, ?> main, DestinationTopicContainer destinations) {
        for (String topic : StartCheck.topics(main.getContainerProperties())) {
            deliveries.roles().plan(destinations, main.getListenerId(), topic);
        }
    }

    private static Object decorated(
            @Nullable Object listener, AbstractMessageListenerContainer<?, ?> container, Decoration decoration) {
        if (listener instanceof BatchMessageListener<?, ?> batch) {
            return new DedupBatchMessageListener<>(batch, decoration);
        }
        if (listener instanceof MessageListener<?, ?> records) {
            return new DedupMessageListener<>(records, decoration);
        }
        throw new IllegalStateException(container.getListenerId()
                + (listener == null
                        ? " has no message listener yet: set it first, then decorate"
                        : " has a message listener of an unknown kind: "
                                + listener.getClass().getName()));
    }

    private static CommonErrorHandler decorated(@Nullable CommonErrorHandler handler, Decoration decoration) {
        CommonErrorHandler delegate = handler == null ? new DefaultErrorHandler() : handler; // so does the container
        refuseRetries(delegate);
        return new DeferralAwareErrorHandler(delegate, decoration);
    }

    /** For {@code ConcurrentKafkaListenerContainerFactory.setContainerCustomizer}, when there is no customizer yet. */
    public <K, V> ContainerCustomizer<K, V, ConcurrentMessageListenerContainer<K, V>> customizer() {
        return this::decorate;
    }

    /** The same after another customizer, which setting this one would replace. */
    public <K, V> ContainerCustomizer<K, V, ConcurrentMessageListenerContainer<K, V>> customizer(
            ContainerCustomizer<K, V, ConcurrentMessageListenerContainer<K, V>> first) {
        return container -> {
            first.configure(container);
            decorate(container);
        };
    }

    /** For {@code @KafkaListener(containerPostProcessor = ...)}: single listeners; runs after the factory's customizer. */
    public <K, V> ContainerPostProcessor<K, V, ConcurrentMessageListenerContainer<K, V>> postProcessor() {
        return this::decorate;
    }

    /** Containers of share groups. They are of another kind, which {@link #decorate} doesn't take. */
    public ShareGroupDedup shareGroups() {
        return new ShareGroupDedup(deduplicator.engine(), deliveries);
    }

    /**
     * Ends the timer, and resumes the containers that are paused until the store answers. A container that runs nevertheless
     * still holds the partitions of deferred records for their delay, but isn't paused as a whole any more.
     */
    @Override
    public void close() {
        timer.close();
        pauses.close();
        closeOuts.close();
        hooks.close();
    }
}
