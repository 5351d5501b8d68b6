package io.dedup.kafka.internal.container;

import io.dedup.DedupContext;
import io.dedup.adapter.poll.PollBudget;
import io.dedup.kafka.internal.deferral.DeferralAwareErrorHandler;
import io.dedup.kafka.internal.deferral.DeferralAwareRollbackProcessor;
import io.dedup.kafka.internal.listener.DedupBatchMessageListener;
import io.dedup.kafka.internal.listener.DedupMessageListener;
import io.dedup.kafka.internal.poll.ConsumerWrapper;
import io.dedup.kafka.internal.poll.WatchedInterceptors;
import io.dedup.kafka.internal.settlement.ContainerServices;
import io.dedup.kafka.internal.spring.AckModes;
import io.dedup.kafka.internal.spring.ConsumerSettings;
import io.dedup.kafka.internal.spring.FailureHandlers;
import io.dedup.kafka.internal.spring.HandlerMethods;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnMissingId;
import io.dedup.policy.SettingNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AssignmentCommitOption;
import org.springframework.kafka.listener.DefaultAfterRollbackProcessor;
import org.springframework.kafka.listener.adapter.KafkaBackoffAwareMessageListenerAdapter;
import org.springframework.kafka.support.TopicPartitionOffset;

/**
 * Refuses to start containers whose settings would lose messages or handle them twice, and warns about risky settings.
 */
final class ContainerStartCheck {
    private final AbstractMessageListenerContainer<?, ?> container;
    private final ContainerProperties properties;
    private final ContainerServices services;
    private final ListenerTraits traits;

    ContainerStartCheck(
            AbstractMessageListenerContainer<?, ?> container, ContainerServices services, ListenerTraits traits) {
        this.container = container;
        this.properties = container.getContainerProperties();
        this.services = services;
        this.traits = traits;
    }

    /**
     * Throws if the container cannot be run safely.
     *
     * @throws IllegalArgumentException when a topic has no ID extractor
     * @throws IllegalStateException when a setting would lose messages or handle them twice
     */
    public void requireSafe() {
        requireExtractors();
        requireChain();
        if (!services.kafkaTransactions().areUsed()
                && !(container.getCommonErrorHandler() instanceof DeferralAwareErrorHandler)) {
            throw refused(
                    "its common error handler was replaced after KafkaDedup decorated the container, and would give up"
                            + " on deferred records. Set the error handler first, then decorate: for example with"
                            + " KafkaDedup.customizer(yourCustomizer), which calls yours first");
        }
        if (properties.isAsyncAcks()) { // the decoration of a record listener takes it over and resets it
            throw refused(names().name("asyncAcks")
                    + " is true. A batch listener doesn't support it, since each batch is acknowledged as a whole:"
                    + " set it to false. For a record listener, set it before KafkaDedup decorates the container");
        }
        requireInterceptorsWatched();
        requireNoPositionsCommitted();
        requireNoContexts();
        requireNotDetached();
        requireModes(topics());
        if (new ConsumerSettings(container).autoCommit()) {
            throw refused(names().name(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG)
                    + " is true, so that offsets are committed before their messages are handled, and a crash loses"
                    + " these. Set it to false or leave it unset");
        }
        ConsumerSettings settings = new ConsumerSettings(container);
        requireWatched(settings, settings.canWatch());
        requireOneGroup(topics());
    }

    /** If no error handler is called when an interceptor throws, only a wrapper around the interceptor notices it. */
    private void requireInterceptorsWatched() {
        if (WatchedInterceptors.areWatched(container)) {
            return;
        }
        String unreported = services.kafkaTransactions().areUsed()
                ? "a container with a Kafka transaction has no error handler"
                : properties.getAuthExceptionRetryInterval() != null
                        ? "a container with an authExceptionRetryInterval doesn't report an authorization error to its"
                                + " error handler"
                        : null;
        if (unreported != null) {
            throw refused(
                    "its record or batch interceptor was set after KafkaDedup decorated the container: an exception"
                            + " of the interceptor would lose records, because " + unreported
                            + ". Set the interceptor first, then decorate");
        }
    }

    /** With fixTxOffsets the container commits the consumer's position, even if polled records are still unhandled. */
    private void requireNoPositionsCommitted() {
        if (!properties.isFixTxOffsets()) {
            return;
        }
        String keeps = properties.isPauseImmediate()
                ? "with pauseImmediate the container keeps polled records for later"
                : AckModes.isManual(properties) && !services.kafkaTransactions().areUsed()
                        ? "with a manual ack mode the handler may acknowledge records later"
                        : container.getCommonErrorHandler() instanceof DeferralAwareErrorHandler handler
                                        && !handler.delegate().seeksAfterHandling()
                                ? "with seekAfterError=false of its error handler the container keeps polled records"
                                        + " for later"
                                : null;
        if (keeps != null) {
            throw refused("fixTxOffsets is true, so that the container commits the consumer's position; but " + keeps
                    + ", and a crash would lose these. Set fixTxOffsets to false");
        }
    }

    /**
     * Requires that this consumer is watched, whose factory may have accepted the post-processor without applying it.
     *
     * @throws IllegalStateException when it isn't, and has to be
     */
    void requireWatched(ConsumerSeekCallback consumer) {
        requireWatched(new ConsumerSettings(container), !ConsumerWrapper.isBare(consumer));
    }

    /**
     * During a cooperative rebalance, commits fail between a poll and the first record's turn, and spring-kafka drops the
     * polled records. With fixTxOffsets it commits the position behind what it has dropped.
     */
    private void requireWatched(ConsumerSettings settings, boolean isWatched) {
        if (isWatched) {
            return;
        }
        if (settings.isCooperative()) {
            throw refused("its consumer factory ignores addPostProcessor, so that KafkaDedup cannot refetch the records"
                    + " that spring-kafka drops when a commit fails in a cooperative rebalance. Let the factory apply"
                    + " post-processors, as DefaultKafkaConsumerFactory does, or set partition.assignment.strategy to"
                    + " an eager assignor, such as " + RangeAssignor.class.getName());
        }
        if (properties.isFixTxOffsets()) {
            throw refused("its consumer factory ignores addPostProcessor, so that KafkaDedup cannot refetch the records"
                    + " that spring-kafka drops, and fixTxOffsets is true, so that the container commits the position"
                    + " behind them. Let the factory apply post-processors, as DefaultKafkaConsumerFactory does, or set"
                    + " fixTxOffsets to false");
        }
    }

    private void requireExtractors() {
        for (String topic : topics()) {
            if (!services.deliveries().knows(topic)) {
                throw new IllegalArgumentException("Topic " + topic + " of " + name()
                        + " has no message ID extractor: set KafkaDedup.builder(...).id(\"" + topic
                        + "\", extractor), or a default with id(extractor)");
            }
        }
        if (properties.getTopicPattern() != null && !services.deliveries().hasDefault()) {
            throw new IllegalArgumentException("Topic pattern " + properties.getTopicPattern() + " of " + name()
                    + " may match topics without a message ID extractor: set a default with"
                    + " KafkaDedup.builder(...).id(extractor)");
        }
    }

    /**
     * Refuses topics that another group reads under the same consumer name.
     *
     * @throws IllegalStateException when another group reads one of them
     */
    void requireOneGroup(Collection<String> topics) {
        String group = container.getGroupId() == null ? "(none)" : container.getGroupId();
        for (String topic : topics) {
            String first = services.engine().firstGroup(topic, group);
            if (!first.equals(group)) {
                throw refused("its group " + group + " reads topic " + topic + ", which group " + first
                        + " reads under the same consumer name: each would skip as duplicates the messages that"
                        + " only the other has handled. Use a Deduplicator with a different consumer name for"
                        + " each group");
            }
        }
    }

    private void requireChain() {
        Object outermost = properties.getMessageListener();
        if (outermost instanceof KafkaBackoffAwareMessageListenerAdapter<?, ?> backOff) {
            if (!(backOff.getDelegate() instanceof DedupMessageListener<?, ?>)
                    || !(container.getCommonErrorHandler() instanceof DeferralAwareErrorHandler)) {
                throw refusedRetryTopic();
            }
        } else if (!(outermost instanceof DedupMessageListener<?, ?>)
                && !(outermost instanceof DedupBatchMessageListener<?, ?>)) {
            throw refused(
                    "its message listener was wrapped or replaced after KafkaDedup decorated the container. Set the"
                            + " listener first, then decorate");
        }
        String main = container.getMainListenerId();
        if (main != null && !main.equals(container.getListenerId())) {
            for (String topic : topics()) {
                if (services.deliveries().roles().find(topic) == null) {
                    throw refusedRetryTopic();
                }
            }
        }
    }

    private IllegalStateException refusedRetryTopic() {
        return refused("it belongs to @RetryableTopic and wasn't decorated by a KafkaDedupInstaller. Declare a"
                + " KafkaDedupInstaller in a static @Bean method, instead of setting KafkaDedup's customizer or"
                + " post-processor");
    }

    /** The record would be done, and committed, before the effect; a crash would lose it. */
    private void requireNotDetached() {
        for (HandlerMethods.Handler each : HandlerMethods.of(Objects.requireNonNull(properties.getMessageListener()))) {
            if (each.isDetached()) {
                throw refused("its handler " + each.name()
                        + " is @Async, so that it returns before its effect. Remove @Async,"
                        + " or let the handler return a CompletableFuture that ends with the effect");
            }
        }
    }

    /** A batch has many contexts, and spring-kafka would take such a parameter for the payload. */
    private void requireNoContexts() {
        Object listener = Objects.requireNonNull(properties.getMessageListener());
        if (!(listener instanceof BatchMessageListener<?, ?>)) {
            return;
        }
        for (HandlerMethods.Handler each : HandlerMethods.of(listener)) {
            if (each.hasParameterOf(DedupContext.class)) {
                throw refused(
                        "its batch handler " + each.name()
                                + " has a DedupContext parameter, which only handlers of single records can have. Remove the"
                                + " parameter, and find each message's with DedupContexts.current(messageId); or listen record by record (container factory: setBatchListener(false))");
            }
        }
    }

    /**
     * Refuses topics of different modes in one batch listener, and topics of transactional modes that cannot be handled
     * within a transaction by this container and its handler.
     *
     * @throws IllegalStateException when such a topic is among them
     */
    void requireModes(Collection<String> topics) {
        String problem = new TransactionCheck(container, services, traits)
                .problem(topics, Objects.requireNonNull(properties.getMessageListener()));
        if (problem != null) {
            throw refused(problem);
        }
    }

    List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        Duration interval = new ConsumerSettings(container).maxPollInterval();
        Duration budget = interval.dividedBy(PollBudget.SHARE);
        for (String topic : topics()) {
            DedupPolicy policy = services.deliveries().topic(topic).policy();
            SettingNames names = policy.settingNames();
            String limit = names.name(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG);
            if (policy.lease().compareTo(interval) > 0) {
                warnings.add(name() + ", topic " + topic + ": " + names.path("lease") + " ("
                        + names.value(policy.lease()) + ") is longer than " + limit + " (" + names.value(interval)
                        + "): after a crash, the messages that were being handled wait until their leases expire");
            }
            if (policy.inFlightWait().compareTo(budget) > 0) {
                warnings.add(name() + ", topic " + topic + ": " + names.path("inFlightWait") + " ("
                        + names.value(policy.inFlightWait()) + ") is longer than a quarter of " + limit
                        + ", and is cut to it (" + names.value(budget) + ")");
            }
            if (policy.maxProcessingTime().compareTo(interval) > 0) {
                warnings.add(name() + ", topic " + topic + ": " + names.path("maxProcessingTime") + " ("
                        + names.value(policy.maxProcessingTime()) + ") is longer than " + limit + " ("
                        + names.value(interval)
                        + "): a handler that runs longer loses its partitions while it runs");
            }
        }
        warnings.addAll(rejectedAreNotKept());
        String uncommitted = whyBeginningsAreNotCommitted();
        if (uncommitted != null && new ConsumerSettings(container).beginsAtTheEnd()) {
            warnings.add(name() + ": " + names().name(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG) + " is latest, and "
                    + uncommitted + ": until something is committed for a partition, a restart begins at its end, and"
                    + " skips records whose handling has failed or was interrupted. Set it to earliest");
        }
        warnings.addAll(new TransactionCheck(container, services, traits)
                .warnings(topics(), Objects.requireNonNull(properties.getMessageListener()), name()));
        return warnings;
    }

    /** Empty if the error handler may keep the records that it gives up on, or if none is rejected. */
    private List<String> rejectedAreNotKept() {
        Object handler = services.kafkaTransactions().areUsed()
                ? container.getAfterRollbackProcessor() instanceof DeferralAwareRollbackProcessor<?, ?> ours
                        ? ours.delegate()
                        : container.getAfterRollbackProcessor()
                : container.getCommonErrorHandler() instanceof DeferralAwareErrorHandler ours
                        ? ours.delegate()
                        : container.getCommonErrorHandler();
        String lack = handler == null ? null : lack(handler);
        if (handler == null || lack == null) {
            return List.of();
        }
        List<String> warnings = new ArrayList<>();
        for (String topic : topics()) {
            DedupPolicy policy = services.deliveries().topic(topic).policy();
            SettingNames names = policy.settingNames();
            if (policy.onMissingId() == OnMissingId.FAIL && !policy.shadow()) {
                warnings.add(name() + ", topic " + topic + ": " + names.path("onMissingId") + " is "
                        + names.value(OnMissingId.FAIL) + ", but its "
                        + handler.getClass().getSimpleName() + lack);
            }
        }
        return warnings;
    }

    /** Why this handler keeps no record that it is to give up on; null if it may keep them. */
    private @Nullable String lack(Object handler) {
        boolean batches = properties.getMessageListener() instanceof BatchMessageListener<?, ?>;
        if (batches
                && handler.getClass() == DefaultAfterRollbackProcessor.class
                && handler instanceof DefaultAfterRollbackProcessor<?, ?> processor
                && !(processor.isProcessInTransaction() && properties.isBatchRecoverAfterRollback())) {
            return " recovers nothing of a batch: a rejected message, and one whose handler fails for good, is delivered"
                    + " again without end. Give it a KafkaTemplate, with commitRecovered, and set batchRecoverAfterRollback";
        }
        return FailureHandlers.onlyLogs(handler)
                ? " has no recoverer: a rejected message, and one whose handler fails for good, is logged and gone."
                        + " Give it a recoverer that keeps them, such as DeadLetterPublishingRecoverer"
                : null;
    }

    /** Null if the container commits where a partition begins before it hands out a record, as it does by default. */
    private @Nullable String whyBeginningsAreNotCommitted() {
        if (properties.getAssignmentCommitOption() == AssignmentCommitOption.NEVER) {
            return "assignmentCommitOption is NEVER";
        }
        TopicPartitionOffset[] partitions = properties.getTopicPartitions();
        return partitions != null
                        && Arrays.stream(partitions)
                                .anyMatch(each -> each.getOffset() == null && each.getPosition() == null)
                ? "its partitions are assigned without an initial offset"
                : null;
    }

    private Set<String> topics() {
        return topics(properties);
    }

    /** Returns the topics that the properties name; empty if they name a pattern. */
    public static Set<String> topics(ContainerProperties properties) {
        Set<String> topics = new LinkedHashSet<>();
        String[] names = properties.getTopics();
        if (names != null) {
            topics.addAll(List.of(names));
        }
        TopicPartitionOffset[] partitions = properties.getTopicPartitions();
        if (partitions != null) {
            for (TopicPartitionOffset partition : partitions) {
                topics.add(partition.getTopic());
            }
        }
        return topics;
    }

    /** The setting names of the first topic's policy, or of the default policy if a pattern selects the topics. */
    private SettingNames names() {
        String topic = topics().stream().findFirst().orElse("any");
        return services.deliveries().topic(topic).policy().settingNames();
    }

    private IllegalStateException refused(String why) {
        return new IllegalStateException("Cannot deduplicate " + name() + ": " + why + ".");
    }

    private String name() {
        return "listener container " + container.getListenerId();
    }
}
