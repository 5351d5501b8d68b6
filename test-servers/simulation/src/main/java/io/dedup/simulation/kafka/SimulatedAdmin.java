package io.dedup.simulation.kafka;

import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.internals.CoordinatorKey;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.internals.KafkaFutureImpl;

/** An admin client that answers one question: which offsets a group has committed that no open transaction may still move. Thread-safe. */
public final class SimulatedAdmin {
    private final SimulatedBroker broker;
    private final Trouble trouble;
    private final Consumer<String> steps;

    private SimulatedAdmin(SimulatedBroker broker, Trouble trouble, Consumer<String> steps) {
        this.broker = broker;
        this.trouble = trouble;
        this.steps = steps;
    }

    /** @param steps gets what it is asked */
    public static Admin of(SimulatedBroker broker, Trouble trouble, Consumer<String> steps) {
        SimulatedAdmin admin = new SimulatedAdmin(broker, trouble, steps);
        return (Admin) Proxy.newProxyInstance(
                SimulatedAdmin.class.getClassLoader(),
                new Class<?>[] {Admin.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "listConsumerGroupOffsets" -> admin.offsets((Map<?, ?>) arguments[0]);
                    case "close" -> null;
                    default -> throw new UnsupportedOperationException("not simulated: " + method);
                });
    }

    private ListConsumerGroupOffsetsResult offsets(Map<?, ?> asked) {
        Map<CoordinatorKey, KafkaFuture<Map<TopicPartition, OffsetAndMetadata>>> answers = new HashMap<>();
        asked.forEach((group, spec) -> {
            Set<TopicPartition> partitions = Set.copyOf(((ListConsumerGroupOffsetsSpec) spec).topicPartitions());
            answers.put(CoordinatorKey.byGroupId(String.valueOf(group)), answer(partitions));
        });
        return result(answers);
    }

    private KafkaFuture<Map<TopicPartition, OffsetAndMetadata>> answer(Set<TopicPartition> partitions) {
        if (trouble.atAdmin() != null) {
            return failed("simulated: the admin client gets no answer");
        }
        if (broker.isUnstable(partitions)) {
            broker.endTransactions(); // after a while; until then the broker returns no offset
            return failed("simulated: a transaction is open");
        }
        Map<TopicPartition, OffsetAndMetadata> found = broker.stable(partitions);
        steps.accept("the admin client asks what is committed: " + found);
        return KafkaFuture.completedFuture(found);
    }

    private static KafkaFuture<Map<TopicPartition, OffsetAndMetadata>> failed(String why) {
        KafkaFutureImpl<Map<TopicPartition, OffsetAndMetadata>> failed = new KafkaFutureImpl<>();
        failed.completeExceptionally(new TimeoutException(why));
        return failed;
    }

    /** Kafka makes it itself, and nobody else can. */
    private static ListConsumerGroupOffsetsResult result(
            Map<CoordinatorKey, KafkaFuture<Map<TopicPartition, OffsetAndMetadata>>> answers) {
        try {
            Constructor<ListConsumerGroupOffsetsResult> made =
                    ListConsumerGroupOffsetsResult.class.getDeclaredConstructor(Map.class);
            made.setAccessible(true);
            return made.newInstance(answers);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
