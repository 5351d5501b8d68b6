package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.springframework.kafka.listener.AcknowledgingShareConsumerAwareMessageListener;
import org.springframework.kafka.listener.ContainerProperties.ShareAckMode;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.ShareConsumerRecordRecoverer;

/** Listeners of share groups on a real broker. */
@Order(1) // takes long
class ShareGroupTest {
    private final List<Integer> deliveries = new CopyOnWriteArrayList<>();

    /** A listener for a mode: it acknowledges where it has to. */
    static Object listener(ShareAckMode mode, java.util.function.Consumer<ConsumerRecord<String, String>> handler) {
        if (mode == ShareAckMode.EXPLICIT) {
            return (MessageListener<String, String>) handler::accept;
        }
        return (AcknowledgingShareConsumerAwareMessageListener<String, String>) (record, ack, consumer) -> {
            handler.accept(record);
            ack.acknowledge();
        };
    }

    private void handle(ShareScene group, ConsumerRecord<String, String> record) {
        deliveries.add((int) record.deliveryCount().orElseThrow());
        group.scene.effects.add(Scene.id(record));
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "IMPLICIT")
    @DisplayName("each message once, on two consumers; duplicates are accepted")
    void once(ShareAckMode mode) {
        try (ShareScene group = new ShareScene(new Scene())) {
            group.scene.send("a", "b", "a", "c", "b", "a");
            var container = group.container(mode, listener(mode, record -> handle(group, record)));
            container.setConcurrency(2);
            group.start(container);
            group.awaitSettled();
            assertThat(group.scene.effects).containsExactlyInAnyOrder("a", "b", "c");
            group.scene.send("c", "d");
            group.awaitSettled();
            assertThat(group.scene.effects).containsExactlyInAnyOrder("a", "b", "c", "d");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "IMPLICIT")
    @DisplayName(
            "K14 in flight elsewhere, longer than its lock: neither rejected nor released, others go on, and it runs"
                    + " when the first fails")
    void inFlightElsewhere(ShareAckMode mode) {
        try (ShareScene group = new ShareScene(new Scene())) {
            Execution elsewhere = group.scene.runningElsewhere("a");
            group.scene.send("a", "b");
            group.start(group.container(mode, listener(mode, record -> handle(group, record))));
            group.scene.awaitEffects("b");
            int before = group.scene.deferrals.size();
            await().pollDelay(ShareScene.LOCK.multipliedBy(2)).until(() -> group.scene.deferrals.size() > before + 10);
            assertThat(group.unsettled()).isEqualTo(1);
            elsewhere.fail(new IllegalStateException("elsewhere"));
            group.awaitSettled();
            assertThat(group.scene.effects).containsExactly("b", "a");
            assertThat(deliveries).containsExactly(1, 1);
            assertThat(group.scene.events).doesNotContain("duplicate a"); // of a lock that ran out
        }
    }

    @Test
    @DisplayName("K14 claimed by a process that has died: waits for its lease, in one delivery")
    void diedElsewhere() {
        try (ShareScene group = new ShareScene(new Scene())) {
            group.scene.send("first");
            group.start(group.container(ShareAckMode.EXPLICIT, listener(ShareAckMode.EXPLICIT, r -> handle(group, r))));
            group.awaitSettled(); // starting may take longer than a lease
            try (var dead = group.scene.deduplicator(policy -> policy)) {
                Admission admission = DedupAdapter.of(dead)
                        .admit(Delivery.of(dead.topic(group.scene.topic), "a", null, () -> "dead"), WaitBudget.none());
                ((Admission.Run) admission).execution().begin();
            }
            group.scene.send("a");
            group.scene.awaitEffects("first", "a");
            group.awaitSettled();
            assertThat(group.scene.deferrals).isNotEmpty();
            assertThat(deliveries).containsExactly(1, 1);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "IMPLICIT")
    @DisplayName("a handler that takes longer than the lock keeps it, and those of the records behind")
    void slowHandler(ShareAckMode mode) {
        try (ShareScene group = new ShareScene(new Scene())) {
            group.scene.send("slow", "b");
            CountDownLatch enough = new CountDownLatch(1);
            Object slow = listener(mode, record -> {
                if (Scene.id(record).equals("slow")) {
                    Uninterrupted.await(enough);
                }
                handle(group, record);
            });
            group.start(group.container(mode, slow));
            await().until(() -> DedupAdapter.of(group.scene.dedup).inFlight() == 1);
            // whoever gets a record whose lock has run out would have it here
            List<String> seen = new CopyOnWriteArrayList<>();
            group.start(group.elsewhere(mode, listener(mode, record -> seen.add(Scene.id(record)))));
            await().pollDelay(ShareScene.LOCK.multipliedBy(2)).until(() -> true);
            enough.countDown();
            group.awaitSettled();
            assertThat(group.scene.effects).containsExactly("slow", "b");
            assertThat(deliveries).containsExactly(1, 1);
            assertThat(seen).isEmpty();
            assertThat(group.scene.deferrals).isEmpty();
        }
    }

    @Test
    @DisplayName(
            "K18 a renewal of locks that fails with an Error is followed by the next one: one delivery, one effect")
    void renewalFails() {
        try (ShareScene group = new ShareScene(new Scene())) {
            group.scene.send("slow", "b");
            AtomicInteger renewals = new AtomicInteger();
            CountDownLatch renewed = new CountDownLatch(1);
            Object slow = listener(ShareAckMode.EXPLICIT, record -> {
                if (Scene.id(record).equals("slow")) {
                    Uninterrupted.await(renewed);
                }
                handle(group, record);
            });
            group.start(group.container(ShareAckMode.EXPLICIT, slow, (method, arguments) -> {
                if (method.equals("commitSync") && group.scene.effects.isEmpty()) { // nothing else commits before
                    switch (renewals.incrementAndGet()) {
                        case 1 -> throw new OutOfMemoryError("for once");
                        case 2 -> {} // the locks last longer than this one took
                        default -> renewed.countDown();
                    }
                }
            }));
            group.awaitSettled();
            assertThat(group.scene.effects).containsExactly("slow", "b");
            assertThat(deliveries).containsExactly(1, 1);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "IMPLICIT")
    @DisplayName(
            "a failing handler: its claim is released, then the container's recoverer decides; by default the record"
                    + " is archived")
    void failing(ShareAckMode mode) {
        try (ShareScene group = new ShareScene(new Scene())) {
            group.scene.send("bad", "b");
            AtomicInteger runs = new AtomicInteger();
            group.start(group.container(mode, listener(mode, record -> {
                if (Scene.id(record).equals("bad") && runs.incrementAndGet() == 1) {
                    throw new IllegalStateException("once");
                }
                handle(group, record);
            })));
            group.awaitSettled();
            assertThat(group.scene.effects).containsExactly("b");
            assertThat(group.scene.events).contains("released bad");
            group.scene.send("bad"); // resent by an operator
            group.awaitSettled();
            assertThat(group.scene.effects).containsExactly("b", "bad");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "IMPLICIT")
    @DisplayName("a recoverer that releases: the broker's deliveries are the retries, up to its limit")
    void releasing(ShareAckMode mode) {
        try (ShareScene group = new ShareScene(new Scene())) {
            group.scene.send("bad", "worst");
            Map<String, Integer> attempts = new ConcurrentHashMap<>();
            var container = group.container(mode, listener(mode, record -> {
                int attempt = attempts.merge(Scene.id(record), 1, Integer::sum);
                if (Scene.id(record).equals("worst") || attempt < 3) {
                    throw new IllegalStateException("attempt " + attempt);
                }
                handle(group, record);
            }));
            container.setShareConsumerRecordRecoverer(ShareConsumerRecordRecoverer.RELEASING);
            group.start(container);
            group.awaitSettled();
            assertThat(group.scene.effects).containsExactly("bad");
            assertThat(deliveries).containsExactly(3);
            assertThat(attempts).containsEntry("worst", 5); // group.share.delivery.count.limit
        }
    }
}
