package io.dedup.rocketmq.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.ConsumerGroup;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import io.dedup.adapter.inplace.InPlaceRunner;
import io.dedup.engine.Deduplicators;
import io.dedup.rocketmq.PlayedBroker;
import io.dedup.rocketmq.internal.ack.Acknowledgments;
import io.dedup.rocketmq.internal.ack.RetryDelay;
import io.dedup.rocketmq.internal.broker.BrokerRequests;
import io.dedup.rocketmq.internal.claim.MessageClaims;
import io.dedup.rocketmq.internal.listener.ListenerInvoker;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import io.dedup.rocketmq.internal.thread.LoopThreads;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HandlerRunsTest {
    private final InMemoryDedupStore store = new InMemoryDedupStore();
    private final Deduplicator dedup =
            Deduplicators.builder(store).consumer("payments").build();
    private final LoopThreads threads = new LoopThreads(1);

    @AfterEach
    void close() {
        threads.end();
        dedup.close();
        store.close();
    }

    @Test
    @DisplayName(
            "what has succeeded is completed and acknowledged, even if it cannot be queued for a completion with others")
    void queueFails() {
        DedupAdapter engine = DedupAdapter.of(dedup);
        PlayedBroker broker = new PlayedBroker();
        List<OpenMessage> claimed = new ArrayList<>();
        OpenMessages open = new OpenMessages(4, 1);
        Acknowledgments acknowledgments = new Acknowledgments(
                open,
                new BrokerRequests(broker.consumer()),
                new RetryDelay(attempt -> Duration.ofSeconds(1)),
                PlayedBroker.INVISIBLE,
                message -> {},
                () -> {});
        MessageClaims claims = new MessageClaims(
                engine,
                new ConsumerGroup("group", engine),
                new InPlaceRunner(engine, null, Duration.ZERO),
                open,
                acknowledgments,
                threads,
                claimed::add,
                claimed::add);
        HandlerRuns runs = new HandlerRuns(
                engine,
                new ListenerInvoker((message, context) -> ConsumeResult.SUCCESS),
                open,
                acknowledgments,
                claims,
                message -> {
                    throw new OutOfMemoryError("of the test");
                });
        Delivery delivery = Delivery.of(dedup.topic("orders"), "a", null, () -> "the message");
        OpenMessage message = new OpenMessage(PlayedBroker.message("m", "a", null), delivery);

        claims.claim(open.add(List.of(message)).orElseThrow());
        assertThat(claimed).containsExactly(message);
        runs.run(message);

        assertThat(broker.orders).containsExactly("ack m");
        assertThat(open.size()).isZero();
        assertThat(engine.admit(delivery, WaitBudget.none())).isInstanceOf(Admission.Duplicate.class);
    }
}
