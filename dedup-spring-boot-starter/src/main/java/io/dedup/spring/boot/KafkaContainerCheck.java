package io.dedup.spring.boot;

import java.util.ArrayList;
import java.util.List;

/** What dedup-kafka looks at when a container starts, before any of them does. Thread-safe. */
final class KafkaContainerCheck implements StartCheck {
    private final KafkaListeners listeners;
    private final boolean strict;

    KafkaContainerCheck(KafkaListeners listeners, boolean strict) {
        this.listeners = listeners;
        this.strict = strict;
    }

    @Override
    public List<Warning> warnings(List<DedupUnits.Served> served) {
        List<Warning> warnings = new ArrayList<>();
        for (KafkaListeners.Decorated each : listeners.decorated()) {
            List<String> found;
            try {
                found = each.dedup().check(each.container());
            } catch (IllegalStateException | IllegalArgumentException e) {
                throw new DedupConfigurationException(
                        Policies.inKebabCase(String.valueOf(e.getMessage())),
                        "Change that setting; or leave the listener alone with dedup.listeners."
                                + each.container().getListenerId() + ".enabled=false.",
                        e);
            }
            if (strict) { // otherwise the container warns of it when it starts
                found.forEach(text -> warnings.add(new Warning(
                        Policies.inKebabCase(text), "The settings are under dedup.topics and spring.kafka.consumer.")));
            }
        }
        return warnings;
    }
}
