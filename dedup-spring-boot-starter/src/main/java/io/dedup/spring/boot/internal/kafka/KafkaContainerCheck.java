package io.dedup.spring.boot.internal.kafka;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.check.RiskCheck;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import io.dedup.spring.boot.internal.text.YamlNames;
import java.util.ArrayList;
import java.util.List;

/** Runs the checks of dedup-kafka for all containers before the first one starts. Thread-safe. */
public final class KafkaContainerCheck implements RiskCheck {
    /** Names the property, because a user of Spring Boot doesn't know this setting. */
    private static final String FROM_PREFIX = "Spring Boot sets kafkaAwareTransactionManager because of"
            + " spring.kafka.producer.transaction-id-prefix. ";

    private final KafkaListeners listeners;
    private final boolean strict;

    public KafkaContainerCheck(KafkaListeners listeners, boolean strict) {
        this.listeners = listeners;
        this.strict = strict;
    }

    @Override
    public List<Warning> warnings(List<DeduplicatedListener> served) {
        List<Warning> warnings = new ArrayList<>();
        for (KafkaListeners.Decorated each : listeners.decorated()) {
            List<String> found = check(each);
            if (strict) { // otherwise the container warns of it when it starts
                found.forEach(text -> warnings.add(new Warning(
                        YamlNames.inYaml(text), "The settings are under dedup.topics and spring.kafka.consumer.")));
            }
        }
        return warnings;
    }

    /**
     * Checks a container before it starts.
     *
     * @return warnings about risky settings
     * @throws DedupConfigurationException when its start would be refused
     */
    public static List<String> check(KafkaListeners.Decorated each) {
        try {
            return each.dedup().check(each.container());
        } catch (IllegalStateException | IllegalArgumentException e) {
            String problem = String.valueOf(e.getMessage());
            throw new DedupConfigurationException(
                    YamlNames.inYaml(problem),
                    (problem.contains("kafkaAwareTransactionManager") && each.registered() ? FROM_PREFIX : "")
                            + "Change that setting, or switch off deduplication of this listener with dedup.listeners."
                            + each.name() + ".enabled: false.",
                    e);
        }
    }
}
