package io.dedup.spring.boot.internal.kafka.stream;

import io.dedup.spring.boot.DedupConfigurationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.cloud.stream.binder.kafka.properties.KafkaProducerProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.kafka.listener.ConsumerRecordRecoverer;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.messaging.MessageChannel;
import org.springframework.util.StringUtils;

/** Which bindings can be deduplicated, and what is risky about them. */
final class StreamRules {
    private static final Logger log = LoggerFactory.getLogger("io.dedup");

    private final StreamFunctions functions;

    StreamRules(StreamFunctions functions) {
        this.functions = functions;
    }

    static String property(StreamContainer made, String name) {
        return "spring.cloud.stream.bindings." + made.name() + "." + name;
    }

    private static String kafkaProperty(String binding, String name) {
        return "spring.cloud.stream.kafka.bindings." + binding + "." + name;
    }

    /**
     * Checks a binding that is to be deduplicated.
     *
     * @param group as configured; null or empty for an anonymous binding
     * @throws DedupConfigurationException when an effect could be lost or happen twice
     */
    void require(StreamContainer made, @Nullable String group) {
        if (!StringUtils.hasText(group)) {
            throw refused(
                    made,
                    "it has no group. Each start of the application would get a new one, and find no ID that an"
                            + " earlier one has handled",
                    "Set " + property(made, "group"));
        }
        String later = functions.endsLater(made.name());
        if (later != null) {
            throw refused(
                    made,
                    later + ", so its effect may happen after the message counts as done, and an exception isn't seen",
                    "Write it as a Consumer or Function of single messages or of a List");
        }
        AckMode mode = made.container().getContainerProperties().getAckMode();
        boolean manual = mode == AckMode.MANUAL || mode == AckMode.MANUAL_IMMEDIATE;
        if (made.isDeadLettering() && manual) {
            throw refused(
                    made,
                    "with a manual ack mode the binder acknowledges a message that it has dead-lettered, so that the"
                            + " message would count as done, and a replay from the dead-letter topic would be skipped",
                    "Remove " + kafkaProperty(made.name(), "consumer.ack-mode") + ", or "
                            + kafkaProperty(made.name(), "consumer.enable-dlq"));
        }
    }

    /** The channel that the binding sends its messages to. */
    MessageChannel channel(StreamContainer made, ApplicationContext context) {
        return context.getBean(made.name(), MessageChannel.class);
    }

    /** What sends to the binding's dead-letter topic. */
    ConsumerRecordRecoverer deadLetters(StreamContainer made, ApplicationContext context) {
        String errors = made.binder().getBinderIdentity() + "." + made.name() + ".errors";
        return new StreamDeadLetters(
                context.getBean(errors, MessageChannel.class), made.properties().isBatchMode());
    }

    /** Logs what is risky, or refuses it in strict mode. */
    void warn(StreamContainer made, boolean strict) {
        if (made.isInTransaction()) {
            return; // outputs are part of the transaction
        }
        for (String output : functions.outputs(made.name())) {
            KafkaProducerProperties producer = made.binder().getExtendedProducerProperties(output);
            if (producer.isSync()) {
                continue;
            }
            String problem = "Binding " + output + " sends in the background: a message of " + made.name()
                    + " counts as done before the broker has its output, and an output that cannot be sent is lost";
            String action = "Set " + kafkaProperty(output, "producer.sync") + ": true.";
            if (strict) {
                throw new DedupConfigurationException(
                        problem + ".", action + " (Without dedup.strict: true, this is only a warning.)");
            }
            log.warn("{}. {}", problem, action);
        }
    }

    private static DedupConfigurationException refused(StreamContainer made, String problem, String action) {
        return new DedupConfigurationException(
                "Binding " + made.name() + " cannot be deduplicated: " + problem + ".",
                action + ", or switch off its deduplication with dedup.listeners." + made.name() + ".enabled: false.");
    }
}
