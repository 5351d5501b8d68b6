package io.dedup.spring.boot.internal.kafka.inbound;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import io.dedup.spring.boot.internal.text.YamlPath;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.integration.channel.AbstractExecutorChannel;
import org.springframework.integration.channel.NullChannel;
import org.springframework.integration.channel.PublishSubscribeChannel;
import org.springframework.integration.channel.ReactiveStreamsSubscribableChannel;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.PollableChannel;
import org.springframework.messaging.support.InterceptableChannel;

/** Which listeners of Spring Integration can be deduplicated. */
final class InboundRules {
    private InboundRules() {}

    static boolean isManual(ContainerProperties properties) {
        return properties.getAckMode() == AckMode.MANUAL || properties.getAckMode() == AckMode.MANUAL_IMMEDIATE;
    }

    static boolean isInKafkaTransaction(ContainerProperties properties) {
        return properties.getKafkaAwareTransactionManager() != null;
    }

    /**
     * Checks a listener that is to be deduplicated.
     *
     * @throws DedupConfigurationException when an effect could be lost or happen twice
     */
    static void require(InboundListener listener, DeduplicatedListener served) {
        String problem = channelProblem(listener.channel());
        if (problem != null) {
            throw refused(listener, problem, "Send to a DirectChannel");
        }
        boolean inKafkaTransaction = isInKafkaTransaction(listener.container().getContainerProperties());
        if (listener.retries() != null && (inKafkaTransaction || isTransactional(served))) {
            throw refused(
                    listener,
                    "calls its flow again after a failure (" + listener.retries() + ") within one transaction "
                            + (inKafkaTransaction ? "of Kafka" : "of a transactional mode")
                            + ": what the failed call has written would be committed by the next one",
                    "Switch that off, so that the container retries, with a new transaction for each try; or use mode leased without a Kafka"
                            + " transaction");
        }
        if (listener.recovers() != null && inKafkaTransaction) {
            throw refused(
                    listener,
                    "handles failures itself (" + listener.recovers()
                            + ") in a Kafka transaction, which would commit what the failed call has sent",
                    "Leave failures to the container's afterRollbackProcessor");
        }
    }

    private static @Nullable String channelProblem(@Nullable MessageChannel channel) {
        if (channel == null || channel instanceof NullChannel) {
            return null;
        }
        boolean another = channel instanceof PollableChannel
                || channel instanceof ReactiveStreamsSubscribableChannel
                || (channel instanceof AbstractExecutorChannel && hasExecutor(channel));
        if (another) {
            return "sends to " + channel + ", which hands messages to another thread: each would count as done"
                    + " before its effect, and be lost if that fails";
        }
        return channel instanceof InterceptableChannel
                ? null
                : "sends to " + channel + ", which cannot be intercepted, so that failures which an error channel"
                        + " handles aren't seen";
    }

    /** A PublishSubscribeChannel may have none. */
    private static boolean hasExecutor(MessageChannel channel) {
        return !(channel instanceof PublishSubscribeChannel)
                || new DirectFieldAccessor(channel).getPropertyValue("executor") != null;
    }

    private static boolean isTransactional(DeduplicatedListener served) {
        return Stream.concat(
                        served.listener().byTopic().values().stream(),
                        Stream.ofNullable(served.listener().byPattern()))
                .map(TopicPlan::policy)
                .anyMatch(policy -> policy.mode().isTransactional());
    }

    private static DedupConfigurationException refused(InboundListener listener, String problem, String action) {
        return new DedupConfigurationException(
                "Listener " + listener.name() + " cannot be deduplicated: it " + problem + ".",
                action + ", or switch off its deduplication with " + YamlPath.listener(listener.name())
                        + ".enabled: false.");
    }
}
