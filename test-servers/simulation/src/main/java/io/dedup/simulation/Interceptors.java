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
import org.springframework.kafka.listener.AbstractMessageListenerContainer;

/** The interceptors of the application's container. */
final class Interceptors {
    private static final int ONE_IN = 8;

    private final Circumstances circumstances;
    private final Draws draws;
    private final Consumer<String> steps;
    private final UserCalls calls;
    private final Consumer<ConsumerRecord<?, ?>> failed;
    private final Set<String> thrown = new HashSet<>();

    /** @param failed is called with what the container cannot pass on, because an interceptor throws */
    Interceptors(
            Circumstances circumstances,
            Draws draws,
            Consumer<String> steps,
            UserCalls calls,
            Consumer<ConsumerRecord<?, ?>> failed) {
        this.circumstances = circumstances;
        this.draws = draws;
        this.steps = steps;
        this.calls = calls;
        this.failed = failed;
    }

    void set(AbstractMessageListenerContainer<String, String> container) {
        if (circumstances.interception() == Interception.NONE && circumstances.place() != Place.INTERCEPTOR) {
            return;
        }
        container.setRecordInterceptor((record, consumer) -> {
            calls.call(Place.INTERCEPTOR, record, consumer, container);
            return keeps(record, List.of(record)) ? record : null;
        });
        container.setBatchInterceptor((records, consumer) -> {
            Map<TopicPartition, List<ConsumerRecord<String, String>>> kept = new LinkedHashMap<>();
            for (TopicPartition partition : records.partitions()) {
                calls.call(Place.INTERCEPTOR, records.records(partition).get(0), consumer, container);
            }
            for (ConsumerRecord<String, String> record : records) {
                if (keeps(record, records)) {
                    kept.computeIfAbsent(
                                    new TopicPartition(record.topic(), record.partition()), key -> new ArrayList<>())
                            .add(record);
                }
            }
            return new ConsumerRecords<>(kept, records.nextOffsets());
        });
    }

    /** @param call what the container cannot pass on if the interceptor throws */
    private boolean keeps(ConsumerRecord<String, String> record, Iterable<ConsumerRecord<String, String>> call) {
        String value = requireNonNull(record.value());
        if (drops(value)) {
            steps.accept("interceptor drops " + Application.place(record));
            return false;
        }
        if (circumstances.interception() == Interception.THROWS_ONCE
                && !thrown.contains(value)
                && draws.chance(ONE_IN, "interceptor throws at " + value)) {
            thrown.add(value);
            call.forEach(failed);
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
