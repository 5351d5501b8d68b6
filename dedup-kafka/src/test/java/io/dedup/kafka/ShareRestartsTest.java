package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.Execution;
import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.policy.OnStoreFailure;
import io.dedup.testkit.faults.FaultyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.listener.ContainerProperties.ShareAckMode;
import org.springframework.kafka.listener.MessageListener;

/** Each acquisition is one of a record's few deliveries, also by a consumer that stops before it has handled the record. */
@Order(1) // takes long
class ShareRestartsTest {
    private final List<Integer> deliveries = new CopyOnWriteArrayList<>();

    private MessageListener<String, String> handler(Scene scene) {
        return record -> {
            deliveries.add((int) record.deliveryCount().orElseThrow());
            scene.effects.add(Scene.id(record));
        };
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("K25 restarted again and again while the store is down: nothing is acquired, so no delivery is spent")
    void whileTheStoreIsDown(boolean withDatabase) {
        FaultyStore store = FaultyStore.around(Scene.memory()).down();
        Ledger database = withDatabase ? Ledger.postgres() : null; // it answers, but leases aren't there
        Scene scene = new Scene(store, database == null ? null : database.transactions, 1, UnaryOperator.identity());
        if (database != null) {
            scene.closeLater(database);
        }
        AtomicInteger polls = new AtomicInteger();
        try (ShareScene group = new ShareScene(scene)) {
            scene.send("a", "b", "c");
            for (int restart = 0; restart < 6; restart++) { // more than the limit of deliveries
                int asked = store.struck();
                var container = group.container(ShareAckMode.EXPLICIT, handler(scene), (method, arguments) -> {
                    if (method.equals("poll")) {
                        polls.incrementAndGet();
                    }
                });
                container.start();
                await().until(() -> store.struck() > asked && (polls.get() == 0 || !scene.deferrals.isEmpty()));
                scene.deferrals.clear();
                container.stop();
            }
            store.heal();
            group.start(group.container(ShareAckMode.EXPLICIT, handler(scene)));
            group.awaitSettled();
            assertThat(scene.effects).containsExactly("a", "b", "c");
            assertThat(deliveries).containsExactly(1, 1, 1);
            assertThat(polls).hasValue(0);
        }
    }

    @Test
    @DisplayName("K25 policy PROCESS handles messages while the store is down, so its consumers don't wait for it")
    void processes() {
        FaultyStore store = FaultyStore.around(Scene.memory()).down();
        Scene scene = new Scene(store, 1, policy -> policy.onStoreFailure(OnStoreFailure.PROCESS));
        try (ShareScene group = new ShareScene(scene)) {
            scene.send("a");
            group.start(group.container(ShareAckMode.EXPLICIT, handler(scene)));
            scene.awaitEffects("a");
        } finally {
            store.heal();
        }
    }

    @Test
    @DisplayName("K25 stopped while it holds a record deferred in its last delivery: the recoverer gets it")
    void stoppedInTheLastDelivery() {
        Scene scene = new Scene();
        List<String> recovered = new CopyOnWriteArrayList<>();
        List<Execution> elsewhere = new ArrayList<>();
        try (ShareScene group = new ShareScene(scene)) {
            scene.send("a");
            var container = group.container(ShareAckMode.EXPLICIT, (MessageListener<String, String>) record -> {
                throw new IllegalStateException("fails in each delivery");
            });
            container.setShareConsumerRecordRecoverer((record, failure) -> {
                if (failure instanceof DeliveryDeferredException deferral) {
                    recovered.add(Scene.id(record) + " " + deferral.reason());
                    return AcknowledgeType.ACCEPT;
                }
                if (record.deliveryCount().orElseThrow() == 4) {
                    elsewhere.add(scene.runningElsewhere("a")); // the next delivery is the last
                }
                return AcknowledgeType.RELEASE;
            });
            container.start();
            await().until(() -> scene.deferrals.stream().anyMatch(each -> each.startsWith("a ")));
            assertThat(recovered).isEmpty(); // while its consumer holds it
            container.stop();
            assertThat(recovered).containsExactly("a IN_FLIGHT");
            elsewhere.forEach(each -> each.fail(new IllegalStateException("elsewhere")));
            group.awaitSettled();
        }
    }

    @Test
    @DisplayName("K25 also if that fails with an Error, the client is closed, so that no lock is renewed any more")
    void theRecovererFailsWithAnError() {
        Scene scene = new Scene();
        List<String> calls = new CopyOnWriteArrayList<>();
        List<Execution> elsewhere = new ArrayList<>();
        try (ShareScene group = new ShareScene(scene)) {
            scene.send("a");
            MessageListener<String, String> failing = record -> {
                throw new IllegalStateException("fails in each delivery");
            };
            var container = group.container(ShareAckMode.EXPLICIT, failing, (method, arguments) -> calls.add(method));
            container.setShareConsumerRecordRecoverer((record, failure) -> {
                if (failure instanceof DeliveryDeferredException) {
                    throw new AssertionError("a class that cannot be loaded any more");
                }
                if (record.deliveryCount().orElseThrow() == 4) {
                    elsewhere.add(scene.runningElsewhere("a")); // the next delivery is the last
                }
                return AcknowledgeType.RELEASE;
            });
            container.start();
            await().until(() -> scene.deferrals.stream().anyMatch(each -> each.startsWith("a ")));
            container.stop();
            assertThat(calls).contains("close");
            elsewhere.forEach(each -> each.fail(new IllegalStateException("elsewhere")));
        }
    }
}
