package io.dedup.rocketmq.internal.ack;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.doubles.WatchedStore;
import io.dedup.engine.Deduplicators;
import io.dedup.rocketmq.PlayedBroker;
import io.dedup.rocketmq.internal.broker.BrokerRequests;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import io.dedup.store.DedupStore;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CompletionsTest {
    private final PlayedBroker broker = new PlayedBroker();
    /** What the broker had been told by the time at which the store was. */
    private final List<String> ackedBefore = new ArrayList<>();

    private final WatchedStore watched = new WatchedStore(new InMemoryDedupStore());
    private final Deduplicator dedup =
            Deduplicators.builder(watched()).consumer("payments").build();
    private final OpenMessages open = new OpenMessages(4, 1);
    private final Acknowledgments acknowledgments = new Acknowledgments(
            open,
            new BrokerRequests(broker.consumer()),
            new RetryDelay(attempt -> Duration.ofSeconds(1)),
            PlayedBroker.INVISIBLE,
            message -> {},
            () -> {});

    private DedupStore watched() {
        watched.before("complete", () -> ackedBefore.addAll(broker.orders));
        return watched.store;
    }

    @AfterEach
    void close() {
        dedup.close();
    }

    private OpenMessage handled(String id) {
        DedupAdapter engine = DedupAdapter.of(dedup);
        Delivery delivery = Delivery.of(dedup.topic("orders"), id, null, () -> "the message");
        OpenMessage message = new OpenMessage(PlayedBroker.message(id, id, null), delivery);
        assertThat(open.add(List.of(message))).hasValue(List.of(message));
        Execution execution = ((Admission.Run) engine.admit(delivery, WaitBudget.none())).execution();
        open.claimed(message, execution);
        open.start(message);
        execution.begin();
        return message;
    }

    @Test
    @DisplayName("the broker hears of a message when the store knows that it is done: a crash in between repeats an"
            + " acknowledgment")
    void theStoreIsToldFirst() {
        List<OpenMessage> batch = List.of(handled("a"), handled("b"));

        new Completions(DedupAdapter.of(dedup), acknowledgments).complete(batch);

        assertThat(watched.calls("complete")).hasSize(1);
        assertThat(ackedBefore).isEmpty();
        assertThat(broker.orders).containsExactly("ack a", "ack b");
    }
}
