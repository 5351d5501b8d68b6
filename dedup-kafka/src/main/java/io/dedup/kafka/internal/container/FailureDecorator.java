package io.dedup.kafka.internal.container;

import static java.util.Objects.requireNonNull;

import io.dedup.MissingMessageIdException;
import io.dedup.PayloadConflictException;
import io.dedup.PoisonMessageException;
import io.dedup.kafka.internal.deferral.DeferralAwareErrorHandler;
import io.dedup.kafka.internal.deferral.DeferralAwareRollbackProcessor;
import io.dedup.kafka.internal.settlement.ContainerServices;
import io.dedup.kafka.internal.settlement.DedupTransactionManager;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.AfterRollbackProcessor;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.ExceptionClassifier;
import org.springframework.kafka.transaction.KafkaAwareTransactionManager;

/** Replaces a container's error handling by one that recognizes deferrals. */
final class FailureDecorator {
    private FailureDecorator() {}

    static void decorate(AbstractMessageListenerContainer<?, ?> container, DecoratedContainer decorated) {
        if (isInKafkaTransaction(container)) {
            decorateTransactions(container, decorated);
        } else {
            decorateErrors(container, decorated);
        }
    }

    @SuppressWarnings({"deprecation", "removal"})
    static boolean isInKafkaTransaction(AbstractMessageListenerContainer<?, ?> container) {
        ContainerProperties properties = container.getContainerProperties();
        return properties.getKafkaAwareTransactionManager() != null
                || properties.getTransactionManager() instanceof KafkaAwareTransactionManager;
    }

    /** With a Kafka transaction the container has no error handler: failures are rolled back. */
    @SuppressWarnings({"deprecation", "removal", "unchecked"})
    private static <K, V> void decorateTransactions(
            AbstractMessageListenerContainer<K, V> container, DecoratedContainer decorated) {
        ContainerServices services = decorated.services();
        ContainerProperties properties = container.getContainerProperties();
        KafkaAwareTransactionManager<?, ?> manager = properties.getKafkaAwareTransactionManager();
        if (manager == null) {
            manager = (KafkaAwareTransactionManager<?, ?>) requireNonNull(properties.getTransactionManager());
            properties.setTransactionManager(null);
        }
        properties.setKafkaAwareTransactionManager(new DedupTransactionManager<>(
                manager, services.consumers(), services.deferrals(), properties::isStopContainerWhenFenced));
        AfterRollbackProcessor<K, V> processor = (AfterRollbackProcessor<K, V>) container.getAfterRollbackProcessor();
        refuseRetries(processor);
        container.setAfterRollbackProcessor(new DeferralAwareRollbackProcessor<>(
                processor, services.consumers(), services.deferrals(), decorated.backOff()));
    }

    static void decorateErrors(AbstractMessageListenerContainer<?, ?> container, DecoratedContainer decorated) {
        CommonErrorHandler handler = container.getCommonErrorHandler();
        CommonErrorHandler delegate = handler == null ? new DefaultErrorHandler() : handler; // so does the container
        refuseRetries(delegate);
        container.setCommonErrorHandler(new DeferralAwareErrorHandler(
                delegate,
                decorated.services().consumers(),
                decorated.backOff(),
                decorated.traits().endsLater()));
    }

    /** A rejected message would be rejected again. */
    private static void refuseRetries(Object handler) {
        if (handler instanceof ExceptionClassifier classifier) {
            classifier.addNotRetryableExceptions(
                    MissingMessageIdException.class, PayloadConflictException.class, PoisonMessageException.class);
        }
    }
}
