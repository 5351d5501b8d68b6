package io.dedup.spring.boot.internal.kafka;

import io.dedup.spring.boot.internal.check.RiskCheck;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.kafka.listener.adapter.RecordFilterStrategy;

/**
 * Warns of a filter bean whose name says that it drops duplicates, which is what spring-kafka's manual proposes. It doesn't learn
 * whether the listener has succeeded, and what it drops counts as handled: a retry that it takes for a duplicate is lost.
 */
public final class RecordFilterCheck implements RiskCheck {
    private static final Pattern DROPS_DUPLICATES =
            Pattern.compile("dedup|duplicat|idempot|already_?(seen|handled|processed)", Pattern.CASE_INSENSITIVE);

    private final ListableBeanFactory beans;

    public RecordFilterCheck(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public List<Warning> warnings(List<DeduplicatedListener> served) {
        Map<String, @Nullable Class<?>> suspects = new TreeMap<>();
        for (String bean : beans.getBeanNamesForType(RecordFilterStrategy.class, true, false)) {
            Class<?> type = beans.getType(bean, false);
            if (DROPS_DUPLICATES.matcher(bean).find() || (type != null && saysSo(type))) {
                suspects.put(bean, type);
            }
        }
        List<Warning> warnings = new ArrayList<>();
        suspects.forEach((bean, type) -> warnings.add(new Warning(
                "The RecordFilterStrategy " + bean
                        + " seems to drop duplicates. It is asked before the listener runs, and doesn't"
                        + " learn how the run ended: a message whose handler has failed can be dropped when it is retried,"
                        + " and is lost",
                "Deduplicate the topic with dedup.topics, and remove the filter (docs/moving-in.md, \"A filter of Spring"
                        + " Kafka\"). If it filters for another reason, rename the bean"
                        + (type != null && saysSo(type) ? " and its class" : "") + ".")));
        return warnings;
    }

    /** A lambda has the name of the class in which it is written. */
    private static boolean saysSo(Class<?> type) {
        return !type.isHidden()
                && DROPS_DUPLICATES.matcher(type.getSimpleName()).find();
    }
}
