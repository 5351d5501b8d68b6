package io.dedup.simulation;

import io.dedup.simulation.draw.Draws;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;
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
    private final BooleanSupplier running;
    private final Consumer<Collection<TopicPartition>> drops;
    private final AtomicInteger calls = new AtomicInteger();

    /** @param drops the application forgets what it has of these partitions, without acknowledging it */
    Rebalances(
            Draws draws, Consumer<String> steps, BooleanSupplier running, Consumer<Collection<TopicPartition>> drops) {
        this.draws = draws;
        this.steps = steps;
        this.running = running;
        this.drops = drops;
    }

    @Override
    public void onPartitionsRevokedBeforeCommit(
            org.apache.kafka.clients.consumer.Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
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
        return running.getAsBoolean()
                && draws.happens("the rebalance listener", "throws " + when + ", call " + calls.incrementAndGet());
    }

    private void fail(String of) {
        steps.accept("the rebalance listener throws " + of);
        throw new IllegalStateException("the rebalance listener throws " + of);
    }
}
