package io.dedup.rocketmq.remoting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.testservers.PauselessClock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** R8: in a batch of several messages, those behind the one that is being handled, or waits, hold no claim. */
class CrosswiseCopiesTest {
    private final InMemoryDedupStore store =
            new InMemoryDedupStore(PauselessClock.get(), InMemoryDedupStore.DEFAULT_ATTEMPT_RETENTION);
    private final Set<String> deferred = ConcurrentHashMap.newKeySet();
    private final List<String> effects = new CopyOnWriteArrayList<>();
    private final Deduplicator first = process();
    private final Deduplicator second = process();

    @AfterEach
    void close() {
        first.close();
        second.close();
        store.close();
    }

    private Deduplicator process() {
        return Deduplicators.builder(store)
                .consumer("group")
                .shutdownTimeout(Duration.ZERO)
                .defaults(DedupPolicy.builder()
                        .maxProcessingTime(Scene.PATIENCE.multipliedBy(2)) // a standstill outlasts the test's patience
                        .inFlightWait(Duration.ZERO)
                        .maxDeferDelay(Duration.ofMillis(50))
                        .build())
                .listener(new DedupListener() {
                    @Override
                    public void deferred(@Nullable DedupKey key, DeferReason reason, Duration retryAfter) {
                        deferred.add(String.valueOf(key == null ? null : key.messageId()));
                    }
                })
                .build();
    }

    private static Execution runningElsewhere(Deduplicator process, String id) {
        Admission admission = DedupAdapter.of(process)
                .admit(Delivery.of(process.topic("orders"), id, null, () -> "elsewhere"), WaitBudget.none());
        Execution execution = ((Admission.Run) admission).execution();
        execution.begin();
        return execution;
    }

    private static List<MessageExt> batch(String... ids) {
        return Stream.of(ids)
                .map(id -> {
                    MessageExt message = new MessageExt();
                    message.setTopic("orders");
                    message.setBody(new byte[0]);
                    message.putUserProperty("id", id);
                    return message;
                })
                .toList();
    }

    private void effect(List<MessageExt> messages) {
        messages.forEach(message -> effects.add(message.getUserProperty("id")));
    }

    private RemotingDedup decorator(Deduplicator process) {
        return RemotingDedup.builder(process)
                .id(RemotingMessageIds.property("id"))
                .build();
    }

    /** Whether a consumer of this process has acknowledged the whole batch. */
    private CompletableFuture<Boolean> consume(Deduplicator process, boolean orderly, List<MessageExt> batch) {
        MessageQueue queue = new MessageQueue("orders", "broker", 0);
        return CompletableFuture.supplyAsync(
                () -> {
                    if (orderly) {
                        MessageListenerOrderly listener = (messages, context) -> {
                            effect(messages);
                            return ConsumeOrderlyStatus.SUCCESS;
                        };
                        return decorator(process)
                                        .decorate("group", listener)
                                        .consumeMessage(batch, new ConsumeOrderlyContext(queue))
                                == ConsumeOrderlyStatus.SUCCESS;
                    }
                    MessageListenerConcurrently listener = (messages, context) -> {
                        effect(messages);
                        return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
                    };
                    ConsumeConcurrentlyContext context = new ConsumeConcurrentlyContext(queue);
                    return decorator(process).decorate("group", listener).consumeMessage(batch, context)
                                    == ConsumeConcurrentlyStatus.CONSUME_SUCCESS
                            && context.getAckIndex() == Integer.MAX_VALUE;
                },
                task -> new Thread(task).start());
    }

    @ParameterizedTest(name = "orderly={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("R8 copies crosswise in batches of two processes, the firsts of which are in flight elsewhere")
    void crosswise(boolean orderly) throws Exception {
        try (Deduplicator elsewhere = process()) {
            Execution x = runningElsewhere(elsewhere, "x");
            Execution y = runningElsewhere(elsewhere, "y");
            CompletableFuture<Boolean> one = consume(first, orderly, batch("x", "y"));
            CompletableFuture<Boolean> two = consume(second, orderly, batch("y", "x"));
            await().until(() -> deferred.containsAll(Set.of("x", "y")));
            assertThat(DedupAdapter.of(first).inFlight()).isZero();
            assertThat(DedupAdapter.of(second).inFlight()).isZero();
            x.fail(new IllegalStateException("the other one failed"));
            y.fail(new IllegalStateException("the other one failed"));
            assertThat(one.get(Scene.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(two.get(Scene.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(effects).containsExactlyInAnyOrder("x", "y");
        }
    }
}
