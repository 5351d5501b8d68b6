package io.dedup.kafka.internal.ack;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.Deduplicator;
import io.dedup.LiveLease;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.engine.Deduplicators;
import io.dedup.step.LeaseLostException;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class PendingDeliveriesTest {
    private final Deduplicator dedup = Deduplicators.builder(new InMemoryDedupStore())
            .consumer("acks")
            .shutdownTimeout(Duration.ZERO) // nothing runs
            .build();
    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);
    private final PendingDeliveries pending = new PendingDeliveries();
    /** Of each ack that was sent: whether another thread could ask what is pending meanwhile. */
    private final List<Boolean> unlocked = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        dedup.close();
    }

    private static ConsumerRecord<String, String> record(long offset) {
        return new ConsumerRecord<>("orders", 0, offset, "", "id" + offset);
    }

    private ContainerAck ack(ConsumerRecord<String, String> record) {
        return ContainerAck.of(record, () -> {
            CompletableFuture<Boolean> asked = CompletableFuture.supplyAsync(pending::isAnyRunning);
            unlocked.add(asked.handle((answer, failure) -> failure == null)
                    .completeOnTimeout(false, 10, TimeUnit.SECONDS)
                    .join());
        });
    }

    private PendingDelivery given(ConsumerRecord<String, String> record, ContainerAck ack) {
        Delivery delivery = Delivery.of(dedup.topic("orders"), record.value(), null, () -> "a record");
        Admission admission = DedupAdapter.of(dedup).admit(delivery, WaitBudget.none());
        return pending.arrivals().given(record, ((Admission.Run) admission).execution(), ack);
    }

    /** The container may call back, or wait for the consumer's thread, which may want the lock. */
    @Nested
    @DisplayName("the container is told of an acknowledgment without the lock:")
    class WithoutTheLock {
        @Test
        void whenWhatWasClosedIsSettled() {
            ContainerAck ack = ack(record(0));
            PendingDelivery given = given(record(0), ack);

            pending.closed(pending.close(List.of(given), new ArrayList<>(), ack), ack);

            assertThat(unlocked).containsExactly(true);
        }

        @Test
        void whenNothingIsToBeHandled() {
            ContainerAck ack = ack(record(0));
            pending.arrivals().finished(record(0), ack);

            pending.request(ack);

            assertThat(unlocked).containsExactly(true);
        }

        @Test
        void whenWhatHeldItBackIsGone() {
            PendingDelivery below = given(record(0), ack(record(0)));
            ContainerAck ack = ack(record(1));
            pending.arrivals().finished(record(1), ack);
            pending.request(ack);
            assertThat(unlocked).isEmpty();

            pending.recovered(below);
            pending.request(null);

            assertThat(unlocked).containsExactly(true);
        }
    }

    /** Its success is decided: nobody else ends it, and it would stay in flight for ever. */
    @Test
    void endsAlsoIfItsCallIsSoughtBackSince() {
        ContainerAck ack = ack(record(0));
        PendingDelivery given = given(record(0), ack);
        Redeliveries redeliveries = new Redeliveries(pending, id -> {});
        ManualAcks acks =
                new ManualAcks(DedupAdapter.of(dedup), pending, redeliveries, WaitBudget::none, execution -> false);
        GivenRecords records = new TrackedAcknowledgment(() -> {}, acks, given, ack, true);
        pending.soughtBack().begin();
        pending.soughtBack().soughtElsewhere(ORDERS, 0);

        records.acknowledge(); // the call's own
        assertThat(pending.isGiven(given)).isTrue();
        records.acknowledgeAll(); // the end of its work

        assertThat(pending.isGiven(given)).isFalse();
        assertThat(unlocked).hasSize(1);
    }

    /** Its handler lost the lease at a step. Only the lowest is fetched, so this one when the one below is in the store. */
    @Test
    void isFetchedAgainWhenTheCompletionBelowItEnds() {
        PendingDelivery below = given(record(0), ack(record(0)));
        PendingDelivery stopped = given(record(1), ack(record(1)));
        PendingDelivery above = given(record(2), ack(record(2)));
        Execution run = requireNonNull(stopped.execution);
        run.begin();
        dedup.forget(requireNonNull(run.key()), LiveLease.OVERRIDE);
        assertThatThrownBy(() -> run.step("charge", () -> {})).isInstanceOf(LeaseLostException.class);
        List<TopicPartition> seeks = new ArrayList<>();
        AtomicReference<ManualAcks> acks = new AtomicReference<>();
        acks.set(new ManualAcks(
                DedupAdapter.of(dedup), pending, new Redeliveries(pending, seeks::add), WaitBudget::none, execution -> {
                    if (execution == below.execution) { // meanwhile another thread
                        acks.get().acknowledge(List.of(above), null);
                    }
                    return false;
                }));

        acks.get().acknowledge(List.of(below), null);

        assertThat(seeks).containsExactly(ORDERS);
    }

    /** It is read again from the failed record on; committed meanwhile, the failed record would be lost in a crash. */
    @Test
    void isNeverSentAboveOneThatFailed() {
        PendingDelivery below = given(record(0), ack(record(0)));
        ContainerAck ack = ack(record(1));
        pending.arrivals().finished(record(1), ack);
        pending.request(ack);

        assertThat(pending.abort(List.of(below))).containsExactly(below);
        pending.request(null);
        pending.request(ack);

        assertThat(unlocked).isEmpty();
    }

    @Test
    @DisplayName(
            "K12 a record whose acknowledgment was cancelled, because one below it failed, is committed when it is delivered again")
    void deliveredAgainWhileItIsCompleted() {
        List<Long> committed = new CopyOnWriteArrayList<>();
        ContainerAck ack = ContainerAck.of(record(1), () -> committed.add(1L));
        ContainerAck again = ContainerAck.of(record(1), () -> committed.add(1L));
        PendingDelivery below = given(record(0), ack(record(0)));
        PendingDelivery above = given(record(1), ack);
        List<PendingDelivery> completed = pending.closeOnly(List.of(above), ack);
        assertThat(pending.sendBack(List.of(below))).containsExactly(below);

        pending.arrivals().finished(record(0), ack(record(0)));
        pending.arrivals().following(above, record(1), again);
        pending.request(again);
        assertThat(committed).isEmpty();
        pending.closed(completed, ack);

        assertThat(committed).containsExactly(1L);
    }

    @Test
    @DisplayName(
            "K6 K21 a partition leaves in somebody else's poll: acknowledging what is left of it acknowledges nothing of before")
    void leftInSomebodyElsesPoll() {
        List<Long> committed = new CopyOnWriteArrayList<>();
        given(record(0), ack(record(0))); // its listener forgets it: it is delivered again
        assertThat(pending.lost(Set.of(ORDERS), true)).isEmpty();
        ContainerAck ack = ContainerAck.of(record(3), () -> committed.add(3L));
        PendingDelivery remaining = given(record(3), ack);

        List<PendingDelivery> closing = pending.close(List.of(remaining), new ArrayList<>(), ack);
        pending.closed(closing, ack);

        assertThat(closing).containsExactly(remaining);
        assertThat(committed).isEmpty();
        assertThat(pending.mayCommit(ORDERS, 4)).isFalse();
        assertThat(pending.leftBelow(ORDERS, 4)).isZero();
    }

    @Test
    @DisplayName("K12 a partition of an acknowledged poll is lost: the other is committed, and again if that fails")
    void oneOfTwoIsLost() {
        TopicPartition kept = new TopicPartition("orders", 1);
        AtomicInteger sent = new AtomicInteger();
        ContainerAck ack = ContainerAck.ofBatch(sent::incrementAndGet);
        List<PendingDelivery> all = List.of(
                given(record(0), ack), given(new ConsumerRecord<>("orders", kept.partition(), 7, "", "kept"), ack));
        pending.closed(
                pending.close(List.of(all.get(1)), new ArrayList<>(), ack), ack); // the other is with another thread
        assertThat(pending.takeUnsent()).isEmpty();

        assertThat(pending.lost(Set.of(ORDERS), false)).isEmpty();

        assertThat(pending.takeUnsent()).isEqualTo(Map.of(kept, 8L));
        assertThat(pending.takeUnsent()).isEmpty();
        pending.unsent(Set.of(kept, ORDERS));
        assertThat(pending.takeUnsent()).isEqualTo(Map.of(kept, 8L));
        pending.closed(pending.close(all, new ArrayList<>(), ack), ack);
        assertThat(sent).hasValue(0);
    }

    @Test
    @DisplayName("K5 no commit goes below what is acknowledged, unless somebody has sought back")
    void readAgain() {
        ContainerAck ack = ContainerAck.ofBatch(() -> {});
        PendingDelivery given = given(record(4), ack);
        pending.closed(pending.close(List.of(given), new ArrayList<>(), ack), ack);
        assertThat(pending.notMovedBack(ORDERS, 3)).isEqualTo(5);

        pending.soughtBack().moved(ORDERS, 2);

        assertThat(pending.notMovedBack(ORDERS, 3)).isEqualTo(3);
    }

    @Test
    @DisplayName("K21 what a container keeps of such a partition beyond its next poll isn't committed either")
    void keptBeyondThePoll() {
        List<Long> committed = new CopyOnWriteArrayList<>();
        given(record(0), ack(record(0)));
        assertThat(pending.lost(Set.of(ORDERS), true)).isEmpty();
        for (boolean keeps : List.of(true, false)) {
            pending.polled(
                    keeps
                            ? new ConsumerRecords<>(Map.of(ORDERS, List.of(record(3))), Map.of())
                            : ConsumerRecords.empty());
            ContainerAck ack = ContainerAck.of(record(3), () -> committed.add(3L));
            pending.arrivals().finished(record(3), ack);
            pending.request(ack);
            assertThat(committed.isEmpty()).isEqualTo(keeps);
        }
    }
}
