package io.dedup.kafka;

import io.dedup.DedupMode;
import java.lang.reflect.AnnotatedElement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DelegatingMessageListener;
import org.springframework.kafka.listener.adapter.FilteringMessageListenerAdapter;
import org.springframework.kafka.listener.adapter.KafkaBackoffAwareMessageListenerAdapter;
import org.springframework.kafka.transaction.KafkaAwareTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Refuses at start what would tear a message's effect, its record and its offset apart. */
final class TransactionCheck {
    /** Handlers of these run outside of the framework's transaction. */
    private static final Set<Propagation> OUTSIDE =
            Set.of(Propagation.REQUIRES_NEW, Propagation.NOT_SUPPORTED, Propagation.NEVER);

    private static final Duration KAFKA_DEFAULT_TRANSACTION_TIMEOUT = Duration.ofSeconds(60);

    private final ContainerProperties properties;
    private final AbstractMessageListenerContainer<?, ?> container;
    private final Decoration decoration;

    TransactionCheck(AbstractMessageListenerContainer<?, ?> container, Decoration decoration) {
        this.properties = container.getContainerProperties();
        this.container = container;
        this.decoration = decoration;
    }

    /** Why the container can't be run safely, or null. */
    @Nullable
    String problem(Collection<String> topics, Object handler) {
        String manager = managerProblem(topics);
        if (manager != null || !anyTransactional(topics)) {
            return manager;
        }
        String filter = filterProblem(handler);
        return filter != null ? filter : handlerProblem(handler);
    }

    @SuppressWarnings({"deprecation", "removal"})
    private @Nullable String managerProblem(Collection<String> topics) {
        PlatformTransactionManager manager = properties.getTransactionManager();
        if (properties.getKafkaAwareTransactionManager() != null || manager instanceof KafkaAwareTransactionManager) {
            return anyTransactional(topics)
                    ? "it has a Kafka transaction around a transactional mode: the database would commit first, and what"
                            + " the handler has sent be lost when the process dies between the two commits. Remove"
                            + " kafkaAwareTransactionManager from its container properties, and send from an outbox table"
                            + " that the handler writes to"
                    : kafkaProblem();
        }
        return manager == null
                ? null
                : "it has a transaction manager that isn't Kafka's: the container would commit offsets within that"
                        + " transaction, before the database commits, and a crash between the two lose the message. Remove"
                        + " transactionManager from its container properties, and use mode TRANSACTIONAL, which opens the"
                        + " transaction around the handler";
    }

    /** Why the container's Kafka transactions can't be decorated, or null. */
    private @Nullable String kafkaProblem() {
        if (!decoration.inKafkaTransaction()
                || !(container.getAfterRollbackProcessor() instanceof DeferralAwareRollbackProcessor<?, ?>)) {
            return "its kafkaAwareTransactionManager or its afterRollbackProcessor was set after KafkaDedup decorated it,"
                    + " which so doesn't hear of commits and rollbacks. Set them first, then decorate";
        }
        if (properties.getMessageListener() instanceof KafkaBackoffAwareMessageListenerAdapter<?, ?>) {
            return "it belongs to @RetryableTopic, and has a Kafka transaction: the next topic is published to within that"
                    + " transaction, and what the failed handler has sent would be committed with it. Remove"
                    + " kafkaAwareTransactionManager from its container properties; or remove @RetryableTopic, and set"
                    + " afterRollbackProcessor, such as a DefaultAfterRollbackProcessor with a"
                    + " DeadLetterPublishingRecoverer";
        }
        return container.getCommonErrorHandler() == null
                ? null
                : "it has a common error handler within a Kafka transaction: what a failed handler has sent would be"
                        + " committed when that one is done with the record, and a batch that is tried again send twice."
                        + " Remove it, and set afterRollbackProcessor, which runs after the rollback, such as a"
                        + " DefaultAfterRollbackProcessor with a DeadLetterPublishingRecoverer";
    }

    private boolean anyTransactional(Collection<String> topics) {
        return topics.stream().anyMatch(decoration.deliveries()::isTransactional);
    }

    /** What a filter drops without acknowledging looks like a handler that didn't acknowledge. */
    private @Nullable String filterProblem(Object listener) {
        if (properties.getAckMode() != AckMode.MANUAL && properties.getAckMode() != AckMode.MANUAL_IMMEDIATE) {
            return null;
        }
        Object each = listener;
        while (each instanceof DelegatingMessageListener<?> wrapper) {
            each = wrapper.getDelegate();
            if (each instanceof FilteringMessageListenerAdapter<?, ?> filter && !HandlerMethods.acksDiscarded(filter)) {
                return "its RecordFilterStrategy doesn't acknowledge what it drops, which in a transactional mode comes"
                        + " again until it is acknowledged: set ackDiscarded to true (container factory:"
                        + " setAckDiscarded(true))";
            }
        }
        return null;
    }

    /** Why a handler's effect wouldn't be in the framework's transaction, or null. */
    static @Nullable String handlerProblem(Object handler) {
        for (HandlerMethods.Handler each : HandlerMethods.of(handler)) {
            Transactional settings = settings(each.method());
            settings = settings == null ? settings(each.type()) : settings; // a method's are instead of its class's
            if (settings != null && OUTSIDE.contains(settings.propagation())) {
                return "its handler " + each.type().getSimpleName() + "."
                        + each.method().getName() + " is @Transactional(propagation = " + settings.propagation()
                        + "), outside of the transaction that its record commits with: a crash between the two commits"
                        + " would lose or double its effect. Use the default, REQUIRED, which joins";
            }
        }
        return null;
    }

    private static @Nullable Transactional settings(AnnotatedElement annotated) {
        return AnnotatedElementUtils.findMergedAnnotation(annotated, Transactional.class);
    }

    /** Why the listener can't read topics of these modes, or null. A batch's transaction can't be of two modes. */
    @Nullable
    String modesProblem(Collection<String> topics, @Nullable Object listener) {
        String manager = managerProblem(topics);
        if (manager != null) {
            return manager;
        }
        if (!(listener instanceof BatchMessageListener<?, ?>)) {
            return null;
        }
        TreeMap<DedupMode, String> modes = new TreeMap<>();
        topics.forEach(topic ->
                modes.putIfAbsent(decoration.deliveries().topic(topic).policy().mode(), topic));
        return modes.size() < 2
                ? null
                : "its batch listener reads topics of different modes, " + modes
                        + ": a batch is one transaction, or none. Give them one mode, or each a listener of its own";
    }

    /** Why what ends later than the listener's call can't be in a transaction, or null. */
    @Nullable
    String laterProblem(Collection<String> topics) {
        if (!anyTransactional(topics) && !decoration.inKafkaTransaction()) {
            return null;
        }
        if (decoration.declaredLater()) {
            return "its handler returns a CompletableFuture, a Mono or is a suspend function, in a transactional mode or a"
                    + " Kafka transaction: a"
                    + " transaction belongs to one thread, and is over when the handler returns. Return when the work is"
                    + " done, or use mode LEASED without a transaction manager";
        }
        return decoration.later() == null
                ? null
                : "it has asyncAcks in a transactional mode or a Kafka transaction: the transaction is over when the handler returns."
                        + " Acknowledge before returning and set asyncAcks to false, or use mode LEASED without a transaction"
                        + " manager";
    }

    /** What may become too much for the database. */
    List<String> warnings(Collection<String> topics, Object listener, String name) {
        List<String> warnings = new ArrayList<>(kafkaWarnings(topics, name));
        long capacity = decoration.engine().concurrentRecords();
        if (listener instanceof BatchMessageListener<?, ?> && capacity < Long.MAX_VALUE && anyTransactional(topics)) {
            int consumers = container instanceof ConcurrentMessageListenerContainer<?, ?> concurrent
                    ? concurrent.getConcurrency()
                    : 1;
            long needed = 2L * consumers * new ConsumerSettings(container).maxPollRecords();
            if (needed > capacity) {
                warnings.add(name + ": " + consumers + " consumers with max.poll.records may hold " + needed / 2
                        + " locks of the database at once, which has room for " + capacity
                        + " in all: raise its max_locks_per_transaction, or lower max.poll.records. Batches that don't"
                        + " fit are handled in parts");
            }
        }
        return warnings;
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
        return topics.stream()
                .filter(topic -> decoration
                                .deliveries()
                                .topic(topic)
                                .policy()
                                .maxProcessingTime()
                                .compareTo(timeout)
                        > 0)
                .map(topic -> name + ", topic " + topic + ": maxProcessingTime ("
                        + decoration.deliveries().topic(topic).policy().maxProcessingTime()
                        + ") is longer than the producer's transaction.timeout.ms (" + timeout
                        + "): the broker rolls a handler that takes that long back, and it runs again")
                .toList();
    }
}
