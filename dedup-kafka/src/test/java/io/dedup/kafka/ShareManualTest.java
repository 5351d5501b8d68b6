package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupContext;
import io.dedup.LiveLease;
import io.dedup.adapter.DedupAdapter;
import io.dedup.policy.DedupMode;
import io.dedup.step.LeaseLostException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.springframework.kafka.listener.AcknowledgingShareConsumerAwareMessageListener;
import org.springframework.kafka.listener.ContainerProperties.ShareAckMode;
import org.springframework.kafka.support.ShareAcknowledgment;

/** What handlers of share groups acknowledge themselves. */
class ShareManualTest {
    private final BlockingQueue<ShareAcknowledgment> given = new LinkedBlockingQueue<>();
    private final List<String> calls = new CopyOnWriteArrayList<>();

    private ShareAcknowledgment next() throws InterruptedException {
        ShareAcknowledgment ack = given.poll(Scene.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(ack).as("the handler was given a record").isNotNull();
        return ack;
    }

    /** Hands the acknowledgments to the test. */
    private AcknowledgingShareConsumerAwareMessageListener<String, String> later(ShareScene group) {
        return (record, ack, consumer) -> {
            calls.add(Scene.id(record) + " " + record.deliveryCount().orElseThrow());
            group.scene.effects.add(Scene.id(record));
            given.add(ack);
        };
    }

    @Test
    @DisplayName("acknowledged from another thread, after more than a lock's time: once, and done when it says so")
    void acknowledgedLater() throws Exception {
        try (ShareScene group = new ShareScene(new Scene())) {
            group.scene.send("a", "a");
            group.start(group.container(ShareAckMode.MANUAL, later(group)));
            ShareAcknowledgment ack = next();
            ack.renew();
            await().pollDelay(ShareScene.LOCK.multipliedBy(2))
                    .until(() -> group.scene.deferrals.size() > 5); // the copy
            assertThat(group.scene.events).isEmpty();
            ack.acknowledge();
            assertThat(group.scene.events).containsExactly("completed a"); // before the broker knows
            assertThatThrownBy(ack::release).isInstanceOf(IllegalStateException.class);
            group.awaitSettled();
            assertThat(calls).containsExactly("a 1");
            assertThat(group.scene.events).containsExactly("completed a", "duplicate a");
        }
    }

    @Test
    @DisplayName("release gives the claim back, and the broker delivers again; reject gives it back and archives")
    void releasedAndRejected() throws Exception {
        try (ShareScene group = new ShareScene(new Scene())) {
            group.scene.send("a");
            group.start(group.container(ShareAckMode.MANUAL, later(group)));
            next().release();
            next().reject();
            group.awaitSettled();
            assertThat(calls).containsExactly("a 1", "a 2");
            assertThat(group.scene.events).containsExactly("released a", "released a");
            group.scene.send("a"); // resent by an operator
            next().acknowledge();
            group.awaitSettled();
            assertThat(calls).containsExactly("a 1", "a 2", "a 1");
        }
    }

    @Test
    @DisplayName("a handler that has left a step out, because its lease was lost, cannot accept its record")
    void stepLeftOut() {
        AtomicInteger refused = new AtomicInteger();
        try (ShareScene group = new ShareScene(new Scene())) {
            group.scene.send("a");
            AcknowledgingShareConsumerAwareMessageListener<String, String> listener = (record, ack, consumer) -> {
                if (calls.isEmpty()) { // an operator takes the claim away, as another consumer would
                    group.scene.dedup.forget(group.scene.key("a"), LiveLease.OVERRIDE);
                }
                try {
                    DedupContext context = group.scene.contexts.current();
                    context.step("charge", () -> calls.add("charge"));
                    context.step("mail", () -> calls.add("mail"));
                } catch (LeaseLostException e) {
                    calls.add("goes on all the same");
                }
                try {
                    ack.acknowledge();
                } catch (LeaseLostException e) {
                    refused.incrementAndGet();
                }
            };
            group.start(group.container(ShareAckMode.MANUAL, listener));
            group.awaitSettled();
            assertThat(calls).containsExactly("charge", "goes on all the same", "charge", "mail");
            assertThat(refused).hasValue(1);
        }
    }

    @Test
    @DisplayName("so is it on another thread, and its record is delivered again")
    void stepLeftOutLater() throws Exception {
        try (ShareScene group = new ShareScene(new Scene())) {
            group.scene.send("a", "b"); // a's call has returned when b's begins
            List<DedupContext> contexts = new CopyOnWriteArrayList<>();
            AcknowledgingShareConsumerAwareMessageListener<String, String> later = later(group);
            AcknowledgingShareConsumerAwareMessageListener<String, String> listener = (record, ack, consumer) -> {
                contexts.add(group.scene.contexts.current());
                later.onShareRecord(record, ack, consumer);
            };
            group.start(group.container(ShareAckMode.MANUAL, listener));
            ShareAcknowledgment ack = next();
            next().acknowledge();
            group.scene.dedup.forget(group.scene.key("a"), LiveLease.OVERRIDE);
            assertThatThrownBy(() -> contexts.get(0).step("charge", () -> {})).isInstanceOf(LeaseLostException.class);
            assertThatThrownBy(ack::acknowledge).isInstanceOf(LeaseLostException.class);

            next().acknowledge();
            group.awaitSettled();
            assertThat(calls).containsExactly("a 1", "b 1", "a 1");
        }
    }

    @Test
    @DisplayName(
            "stopped before its acknowledgment: the next consumer waits for the claim, which the late one completes")
    void stoppedMeanwhile() throws Exception {
        try (ShareScene group = new ShareScene(new Scene())) {
            group.scene.send("a");
            var container = group.start(group.container(ShareAckMode.MANUAL, later(group)));
            ShareAcknowledgment ack = next();
            container.stop();
            group.start(group.elsewhere(ShareAckMode.MANUAL, later(group)));
            await().until(() -> group.scene.deferrals.contains("a IN_FLIGHT"));
            ack.acknowledge();
            group.awaitSettled();
            assertThat(calls).containsExactly("a 1");
        }
    }

    @Test
    @DisplayName("K18 never acknowledged: the claim of a stopped consumer holds no payload, and ends with its lease")
    void neverAcknowledged() {
        Duration lease = Duration.ofMillis(400);
        List<WeakReference<ConsumerRecord<?, ?>>> dropped = new CopyOnWriteArrayList<>();
        try (ShareScene group =
                new ShareScene(new Scene(policy -> policy.lease(lease).maxProcessingTime(lease.multipliedBy(20))))) {
            group.scene.send("a");
            var container = group.start(group.container(
                    ShareAckMode.MANUAL, (AcknowledgingShareConsumerAwareMessageListener<String, String>)
                            (record, ack, consumer) -> dropped.add(new WeakReference<>(record))));
            await().until(() -> !dropped.isEmpty());
            container.stop();
            await().until(() -> {
                System.gc();
                return dropped.get(0).get() == null;
            });
            await().until(() -> DedupAdapter.of(group.scene.dedup).inFlight() == 0);
        }
    }

    @Test
    @DisplayName("a failure after the acknowledgment changes nothing")
    void failsAfterAcknowledging() {
        try (ShareScene group = new ShareScene(new Scene())) {
            group.scene.send("a", "a");
            group.start(group.container(
                    ShareAckMode.MANUAL,
                    (AcknowledgingShareConsumerAwareMessageListener<String, String>) (record, ack, consumer) -> {
                        calls.add(Scene.id(record));
                        ack.acknowledge();
                        throw new IllegalStateException("late");
                    }));
            group.awaitSettled();
            assertThat(calls).containsExactly("a");
            assertThat(group.scene.events).containsExactly("completed a", "duplicate a");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "LEASED")
    @DisplayName(
            "in a transaction: committed before it is accepted; rolled back when it is released, or isn't acknowledged")
    void inTransactions(DedupMode mode) {
        try (Ledger ledger = Ledger.postgres();
                ShareScene group = ShareScene.withLongLocks(ledger.scene(mode))) {
            group.scene.send("silent", "released", "rejected", "a", "a");
            Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
            List<ShareAcknowledgment> tooLate = new ArrayList<>();
            group.start(group.container(ShareAckMode.MANUAL, (AcknowledgingShareConsumerAwareMessageListener<
                            String, String>)
                    (record, ack, consumer) -> {
                        String id = Scene.id(record);
                        ledger.effect(id);
                        int run = runs.computeIfAbsent(id, each -> new AtomicInteger())
                                .incrementAndGet();
                        calls.add(id + " " + record.deliveryCount().orElseThrow());
                        if (id.equals("rejected")) {
                            ack.reject();
                        } else if (id.equals("released") && run == 1) {
                            ack.release();
                        } else if (id.equals("silent") && run == 1) {
                            tooLate.add(ack);
                        } else {
                            ack.acknowledge();
                        }
                    }));
            group.awaitSettled();
            assertThat(ledger.effects()).containsExactly("a", "released", "silent");
            assertThat(calls)
                    .containsExactlyInAnyOrder("silent 1", "silent 1", "released 1", "released 2", "rejected 1", "a 1");
            assertThatThrownBy(tooLate.get(0)::acknowledge)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Acknowledge before returning");
        }
    }
}
