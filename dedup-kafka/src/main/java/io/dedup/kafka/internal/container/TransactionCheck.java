package io.dedup.kafka.internal.container;

import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.internal.deferral.DeferralAwareRollbackProcessor;
import io.dedup.kafka.internal.record.RecordDeliveries;
import io.dedup.kafka.internal.settlement.ContainerServices;
import io.dedup.kafka.internal.settlement.DedupTransactionManager;
import io.dedup.kafka.internal.spring.AckModes;
import io.dedup.kafka.internal.spring.ConsumerSettings;
import io.dedup.kafka.internal.spring.HandlerMethods;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.SettingNames;
import io.dedup.policy.TransactionSpan;
import io.dedup.store.transaction.HandlerInspector;
import io.dedup.store.transaction.HandlerMethod;
import io.dedup.store.transaction.TransactionalRecords;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DelegatingMessageListener;
import org.springframework.kafka.listener.adapter.FilteringMessageListenerAdapter;
import org.springframework.kafka.listener.adapter.KafkaBackoffAwareMessageListenerAdapter;
import org.springframework.kafka.transaction.KafkaAwareTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** Refuses to start containers whose transactions would separate a message's effect from its record or its offset. */
public final class TransactionCheck {
    private static final String CHAINED = "org.springframework.kafka.transaction.ChainedKafkaTransactionManager";
    private static final Duration KAFKA_DEFAULT_TRANSACTION_TIMEOUT = Duration.ofSeconds(60);

    private final ContainerProperties properties;
    private final AbstractMessageListenerContainer<?, ?> container;
    private final ContainerServices services;
    private final ListenerTraits traits;

    TransactionCheck(
            AbstractMessageListenerContainer<?, ?> container, ContainerServices services, ListenerTraits traits) {
        this.properties = container.getContainerProperties();
        this.container = container;
        this.services = services;
        this.traits = traits;
    }

    /** Returns why the container cannot be run safely with these topics; null if it can. */
    @Nullable
    String problem(Collection<String> topics, Object listener) {
        return Stream.<Supplier<@Nullable String>>of(
                        () -> managerProblem(topics),
                        () -> filterProblem(topics, listener),
                        () -> handlerProblem(topics, listener),
                        () -> modesProblem(topics, listener),
                        () -> laterProblem(topics),
                        () -> new PollTransactionCheck(container, services).problem(topics, listener))
                .map(Supplier::get)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    @SuppressWarnings({"deprecation", "removal"})
    private @Nullable String managerProblem(Collection<String> topics) {
        PlatformTransactionManager manager = properties.getTransactionManager();
        KafkaAwareTransactionManager<?, ?> kafka = properties.getKafkaAwareTransactionManager();
        if (isChained(manager) || isChained(kafka)) {
            return "it has a ChainedKafkaTransactionManager, which commits its transactions one after the other: a"
                    + " crash or a failure between two commits would lose or double an effect. Set"
                    + " kafkaAwareTransactionManager to a KafkaTransactionManager; or remove it, and use mode"
                    + " TRANSACTIONAL with an outbox table";
        }
        if (kafka != null || manager instanceof KafkaAwareTransactionManager) {
            return anyTransactional(topics)
                    ? "it has a Kafka transaction around a transactional mode: the database would commit first, and if"
                            + " the process crashed before Kafka's commit, the records that the handler sent would be"
                            + " lost. Remove kafkaAwareTransactionManager from its container properties, and send from"
                            + " an outbox table that the handler writes to"
                    : kafkaProblem();
        }
        return manager == null
                ? null
                : "it has a transaction manager that isn't Kafka's: the container would commit offsets inside that"
                        + " transaction, before the database commits, and a crash between the two would lose the"
                        + " message. Remove transactionManager from its container properties, and use mode"
                        + " TRANSACTIONAL, which opens the transaction around the handler";
    }

    /** The class is deprecated, so that it is recognized by its name. */
    private static boolean isChained(@Nullable Object manager) {
        Object ours = manager instanceof DedupTransactionManager<?, ?> decorated ? decorated.delegate() : manager;
        return ours != null && ours.getClass().getName().equals(CHAINED);
    }

    /** Returns why the container's Kafka transactions cannot be decorated; null if they can. */
    private @Nullable String kafkaProblem() {
        if (!services.kafkaTransactions().areUsed()
                || !(container.getAfterRollbackProcessor() instanceof DeferralAwareRollbackProcessor<?, ?>)) {
            return "its kafkaAwareTransactionManager or its afterRollbackProcessor was set after KafkaDedup decorated"
                    + " the container, so that KafkaDedup doesn't see commits and rollbacks. Set them first, then"
                    + " decorate";
        }
        if (properties.getMessageListener() instanceof KafkaBackoffAwareMessageListenerAdapter<?, ?>) {
            return "it belongs to @RetryableTopic and has a Kafka transaction: spring-kafka sends the record to the"
                    + " next topic in that transaction, and would commit what the failed handler has sent. Remove"
                    + " kafkaAwareTransactionManager from its container properties; or remove @RetryableTopic, and set"
                    + " afterRollbackProcessor, such as a DefaultAfterRollbackProcessor with a"
                    + " DeadLetterPublishingRecoverer";
        }
        return container.getCommonErrorHandler() == null
                ? null
                : "it has a common error handler within a Kafka transaction: when that error handler has recovered the"
                        + " record, the container would commit what the failed handler has sent, and a retried batch"
                        + " would send twice. Remove the error handler, and set afterRollbackProcessor, which runs"
                        + " after the rollback, such as a DefaultAfterRollbackProcessor with a"
                        + " DeadLetterPublishingRecoverer";
    }

    private boolean anyTransactional(Collection<String> topics) {
        return topics.stream().anyMatch(services.deliveries()::isTransactional);
    }

    /** A record that a filter drops without acknowledging it looks like one that the handler didn't acknowledge. */
    private @Nullable String filterProblem(Collection<String> topics, Object listener) {
        boolean needsAcks =
                anyTransactional(topics) || services.kafkaTransactions().areUsed();
        if (!AckModes.isManual(properties) || !needsAcks) {
            return null;
        }
        Object each = listener;
        while (each instanceof DelegatingMessageListener<?> wrapper) {
            each = wrapper.getDelegate();
            if (each instanceof FilteringMessageListenerAdapter<?, ?> filter && !HandlerMethods.acksDiscarded(filter)) {
                return "its RecordFilterStrategy doesn't acknowledge the records that it drops, and a transactional"
                        + " mode or a Kafka transaction redelivers records until they are acknowledged. Set"
                        + " ackDiscarded to true (container factory: setAckDiscarded(true))";
            }
        }
        return null;
    }

    private @Nullable String handlerProblem(Collection<String> topics, Object listener) {
        if (services.kafkaTransactions().areUsed()) {
            return HandlerMethods.of(listener).stream()
                    .flatMap(each -> Stream.ofNullable(each.problemInTransaction())
                            .map(problem ->
                                    "it has a Kafka transaction, and its handler " + each.name() + " " + problem))
                    .findFirst()
                    .orElse(null);
        }
        return topics.stream()
                .filter(services.deliveries()::isTransactional)
                .findFirst()
                .map(topic -> handlerProblem(services.engine(), services.deliveries(), topic, listener))
                .orElse(null);
    }

    /**
     * Returns why a handler's effect wouldn't be part of the transaction of this topic's messages, or why that would commit what has
     * failed; null if there is nothing.
     */
    public static @Nullable String handlerProblem(
            DedupAdapter engine, RecordDeliveries deliveries, String topic, Object listener) {
        if (deliveries.isTransactional(topic)) {
            for (HandlerMethods.Handler each : HandlerMethods.of(listener)) {
                String repeated = each.problemInTransaction();
                String problem = repeated == null ? outside(engine.records(), each) : repeated;
                if (problem != null) {
                    return "topic " + topic + " has mode "
                            + deliveries.topic(topic).policy().mode() + ", and its handler " + each.name() + " "
                            + problem;
                }
            }
        }
        return null;
    }

    private static @Nullable String outside(@Nullable TransactionalRecords records, HandlerMethods.Handler handler) {
        return records instanceof HandlerInspector inspector
                ? inspector.outside(
                        handler.bean(),
                        new HandlerMethod(
                                handler.method().getDeclaringClass(),
                                handler.method().getName(),
                                List.of(handler.method().getParameterTypes())))
                : null;
    }

    /** Returns why the listener cannot read topics of these modes; null if it can. A batch has one mode. */
    private @Nullable String modesProblem(Collection<String> topics, Object listener) {
        if (!(listener instanceof BatchMessageListener<?, ?>)) {
            return null;
        }
        TreeMap<DedupMode, String> modes = new TreeMap<>();
        topics.forEach(topic ->
                modes.putIfAbsent(services.deliveries().topic(topic).policy().mode(), topic));
        return modes.size() < 2
                ? null
                : "its batch listener reads topics of different modes, " + modes
                        + ": a batch has either one transaction or none. Give these topics the same mode, or each its"
                        + " own listener";
    }

    /**
     * Returns why work that ends after the listener's call cannot be part of a transaction; null if there is no such
     * work or no transaction.
     */
    private @Nullable String laterProblem(Collection<String> topics) {
        if (!anyTransactional(topics) && !services.kafkaTransactions().areUsed()) {
            return null;
        }
        if (traits.declaredLater()) {
            return "its handler returns a CompletableFuture or a Mono, or is a suspend function, in a transactional"
                    + " mode or a Kafka transaction: a transaction belongs to one thread and ends when the handler"
                    + " returns. Return when the work is done, or use mode LEASED without a transaction manager";
        }
        return !traits.endsLater()
                ? null
                : "it has asyncAcks in a transactional mode or a Kafka transaction: the transaction ends when the"
                        + " handler returns. Acknowledge before returning and set asyncAcks to false, or use mode"
                        + " LEASED without a transaction manager";
    }

    /** Returns warnings about settings that may exceed the database's or the broker's limits. */
    List<String> warnings(Collection<String> topics, Object listener, String name) {
        List<String> warnings = new ArrayList<>(kafkaWarnings(topics, name));
        TransactionalRecords records = services.engine().records();
        long capacity = records == null ? Long.MAX_VALUE : records.concurrentRecords();
        int most = recordsPerTransaction(topics, listener);
        if (most > 1 && capacity < Long.MAX_VALUE) {
            int consumers = container instanceof ConcurrentMessageListenerContainer<?, ?> concurrent
                    ? concurrent.getConcurrency()
                    : 1;
            long needed = 2L * consumers * most;
            if (needed > capacity) {
                boolean batch = listener instanceof BatchMessageListener<?, ?>;
                String limit = batch ? "max.poll.records" : "transactionMaxRecords";
                warnings.add(name + ": " + consumers + " consumers with " + limit + " may need " + needed / 2
                        + " database locks at once, more than half of the database's " + capacity
                        + ": raise its max_locks_per_transaction to get room for " + needed + ", or lower " + limit
                        + (batch ? ". Batches" : ". Transactions") + " that don't fit are handled in parts");
            }
        }
        return warnings;
    }

    /** At most; 0 if a transaction has one record, or there is none. */
    private int recordsPerTransaction(Collection<String> topics, Object listener) {
        if (!anyTransactional(topics)) {
            return 0;
        }
        int polled = new ConsumerSettings(container).maxPollRecords();
        if (listener instanceof BatchMessageListener<?, ?>) {
            return polled;
        }
        return topics.stream()
                .map(topic -> services.deliveries().topic(topic).policy())
                .filter(policy -> policy.transaction() == TransactionSpan.POLL)
                .mapToInt(policy -> Math.min(polled, policy.transactionMaxRecords()))
                .max()
                .orElse(0);
    }

    private List<String> kafkaWarnings(Collection<String> topics, String name) {
        KafkaAwareTransactionManager<?, ?> manager = properties.getKafkaAwareTransactionManager();
        if (manager == null) {
            return List.of();
        }
        Object value = manager.getProducerFactory()
                .getConfigurationProperties()
                .get(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG);
        Duration timeout = value == null
                ? KAFKA_DEFAULT_TRANSACTION_TIMEOUT
                : Duration.ofMillis(Long.parseLong(value.toString().trim()));
        List<String> warnings = new ArrayList<>();
        for (String topic : topics) {
            DedupPolicy policy = services.deliveries().topic(topic).policy();
            SettingNames names = policy.settingNames();
            if (policy.maxProcessingTime().compareTo(timeout) > 0) {
                warnings.add(name + ", topic " + topic + ": " + names.path("maxProcessingTime") + " ("
                        + names.value(policy.maxProcessingTime()) + ") is longer than the producer's "
                        + names.name(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG) + " (" + names.value(timeout)
                        + "): the broker rolls back a handler that runs longer, and its messages are handled again");
            }
        }
        return warnings;
    }
}
