package io.dedup.simulation;

import static java.util.Objects.requireNonNull;

import io.dedup.simulation.Circumstances.Interception;
import io.dedup.simulation.Circumstances.Place;
import io.dedup.simulation.draw.Draws;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;

/** The interceptors of the application's container. */
final class Interceptors {
    private static final int ONE_IN = 8;

    private final Circumstances circumstances;
    private final Draws draws;
    private final Consumer<String> steps;
    private final UserCalls calls;
    private final Set<String> thrown = new HashSet<>();

    Interceptors(Circumstances circumstances, Draws draws, Consumer<String> steps, UserCalls calls) {
        this.circumstances = circumstances;
        this.draws = draws;
        this.steps = steps;
        this.calls = calls;
    }

    void set(AbstractMessageListenerContainer<String, String> container) {
        if (circumstances.interception() == Interception.NONE && circumstances.place() != Place.INTERCEPTOR) {
            return;
        }
        container.setRecordInterceptor((record, consumer) -> intercept(record, consumer, container) ? record : null);
        container.setBatchInterceptor((records, consumer) -> {
            Map<TopicPartition, List<ConsumerRecord<String, String>>> kept = new LinkedHashMap<>();
            for (TopicPartition partition : records.partitions()) {
                calls.call(Place.INTERCEPTOR, records.records(partition).get(0), consumer, container);
            }
            for (ConsumerRecord<String, String> record : records) {
                if (intercept(record, null, container)) {
                    kept.computeIfAbsent(
                                    new TopicPartition(record.topic(), record.partition()), key -> new ArrayList<>())
                            .add(record);
                }
            }
            return new ConsumerRecords<>(kept, records.nextOffsets());
        });
    }

    private boolean intercept(
            ConsumerRecord<String, String> record,
            org.apache.kafka.clients.consumer.@Nullable Consumer<String, String> consumer,
            AbstractMessageListenerContainer<String, String> container) {
        calls.call(Place.INTERCEPTOR, record, consumer, container);
        String value = requireNonNull(record.value());
        if (drops(value)) {
            steps.accept("interceptor drops " + Application.place(record));
            return false;
        }
        if (circumstances.interception() == Interception.THROWS_ONCE
                && !thrown.contains(value)
                && draws.chance(ONE_IN, "interceptor throws at " + value)) {
            thrown.add(value);
            steps.accept("interceptor throws at " + Application.place(record));
            throw new IllegalStateException("the interceptor cannot handle " + value);
        }
        return true;
    }

    /** Whether an interceptor drops this message, always. */
    boolean drops(String value) {
        return circumstances.interception() == Interception.DROPS && draws.chance(ONE_IN, "interceptor drops " + value);
    }
}
