package io.dedup.simulation;

import io.dedup.simulation.draw.Draws;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.springframework.kafka.listener.ConsumerAwareRebalanceListener;

/**
 * The application's rebalance listener, which throws now and then. Not when its container stops: spring-kafka doesn't close the
 * consumer then.
 */
final class Rebalances implements ConsumerAwareRebalanceListener {
    private final Draws draws;
    private final Consumer<String> steps;
    private final BooleanSupplier mayFail;
    private final Consumer<Collection<TopicPartition>> drops;
    private final BiConsumer<org.apache.kafka.clients.consumer.Consumer<?, ?>, Collection<TopicPartition>> revoked;
    private final BiConsumer<org.apache.kafka.clients.consumer.Consumer<?, ?>, Collection<TopicPartition>> assigned;
    private final AtomicInteger calls = new AtomicInteger();

    /**
     * @param mayFail whether it may throw now
     * @param drops the application forgets what it has of these partitions, without acknowledging it
     * @param revoked what the application does first with partitions that leave, before its container commits
     * @param assigned what the application does first with new partitions
     */
    Rebalances(
            Draws draws,
            Consumer<String> steps,
            BooleanSupplier mayFail,
            Consumer<Collection<TopicPartition>> drops,
            BiConsumer<org.apache.kafka.clients.consumer.Consumer<?, ?>, Collection<TopicPartition>> revoked,
            BiConsumer<org.apache.kafka.clients.consumer.Consumer<?, ?>, Collection<TopicPartition>> assigned) {
        this.draws = draws;
        this.steps = steps;
        this.mayFail = mayFail;
        this.drops = drops;
        this.revoked = revoked;
        this.assigned = assigned;
    }

    @Override
    public void onPartitionsRevokedBeforeCommit(
            org.apache.kafka.clients.consumer.Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
        revoked.accept(consumer, partitions);
        leaving("before the commit", partitions);
    }

    @Override
    public void onPartitionsRevokedAfterCommit(
            org.apache.kafka.clients.consumer.Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
        leaving("after the commit", partitions);
    }

    @Override
    public void onPartitionsLost(
            org.apache.kafka.clients.consumer.Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
        leaving("for lost ones", partitions);
    }

    @Override
    public void onPartitionsAssigned(
            org.apache.kafka.clients.consumer.Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
        assigned.accept(consumer, partitions);
        if (fails("for assigned ones")) {
            fail("of assigned " + partitions);
        }
    }

    private void leaving(String when, Collection<TopicPartition> partitions) {
        if (fails(when)) {
            drops.accept(partitions);
            fail(when + " of " + partitions);
        }
    }

    private boolean fails(String when) {
        return mayFail.getAsBoolean()
                && draws.happens("the rebalance listener", "throws " + when + ", call " + calls.incrementAndGet());
    }

    private void fail(String of) {
        steps.accept("the rebalance listener throws " + of);
        throw new IllegalStateException("the rebalance listener throws " + of);
    }
}
