package io.dedup.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupPolicy;
import io.dedup.testkit.faults.FaultyStore;
import io.dedup.testkit.faults.StoreFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * R8 with everything at once: two processes, many copies crosswise in message groups, handlers and claims that fail, a broker
 * that refuses to keep messages, claims of a dead process, and a loop that is closed and replaced meanwhile.
 */
class MessageGroupFuzzTest {
    private static final int MESSAGES = 400;
    private static final int IDS = 60;
    private static final int GROUPS = 6;

    private final FaultyStore store = FaultyStore.around(Scene.memory());
    private final List<String> effects = new CopyOnWriteArrayList<>();
    private final List<String> wrong = new CopyOnWriteArrayList<>();
    private final Map<String, String> running = new ConcurrentHashMap<>();

    /** Leases are long enough for a machine that stands still for a while. */
    private Deduplicator process(Duration lease) {
        return Deduplicators.builder(store)
                .consumer("group")
                .shutdownTimeout(Duration.ZERO)
                .defaults(DedupPolicy.builder()
                        .lease(lease)
                        .maxProcessingTime(Duration.ofMinutes(5))
                        .inFlightWait(Duration.ZERO)
                        .maxDeferDelay(Duration.ofMillis(20))
                        .maxDeaths(100)
                        .build())
                .build();
    }

    private SimpleConsumerLoop loop(Deduplicator dedup, PlayedBroker broker, String process) {
        return RocketMqDedup.builder(dedup)
                .id(RocketMqMessageIds.property("id"))
                .build()
                .loop(broker.consumer(), message -> handle(message, process))
                .concurrency(6)
                .invisibleDuration(PlayedBroker.INVISIBLE)
                .retryDelay(attempt -> Duration.ofMillis(1))
                .start();
    }

    /** Nothing else of a message group runs in the same loop meanwhile. */
    private ConsumeResult handle(MessageView message, String process) {
        String lane = process + message.getMessageGroup().orElse(" none " + PlayedBroker.name(message));
        String other = running.put(lane, PlayedBroker.name(message));
        if (other != null) {
            wrong.add(PlayedBroker.name(message) + " beside " + other);
        }
        LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(2_000_000));
        running.remove(lane);
        if (ThreadLocalRandom.current().nextInt(10) == 0) {
            return ConsumeResult.FAILURE;
        }
        effects.add(Scene.id(message));
        return ConsumeResult.SUCCESS;
    }

    private static void deliver(PlayedBroker broker, Random random, String prefix, Set<String> names, Set<String> ids) {
        List<MessageView> together = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            String name = prefix + i;
            String id = "id" + random.nextInt(IDS);
            int group = random.nextInt(GROUPS + 1);
            names.add(name);
            ids.add(id);
            together.add(PlayedBroker.message(name, id, group == GROUPS ? null : prefix + " group " + group));
            if (random.nextInt(50) == 0) {
                broker.refuseToKeep(name);
            }
            if (random.nextInt(5) == 0 || i == MESSAGES - 1) {
                broker.deliver(together.toArray(MessageView[]::new));
                together.clear();
            }
        }
    }

    private static Set<String> acked(PlayedBroker broker) {
        Set<String> acked = ConcurrentHashMap.newKeySet();
        broker.orders.stream()
                .filter(order -> order.startsWith("ack "))
                .forEach(order -> acked.add(order.substring(4)));
        return acked;
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    @DisplayName("R8 every message is acked, every ID takes effect once, and nothing of a group runs beside another")
    void everythingAtOnce(long seed) {
        Random random = new Random(seed);
        Set<String> ids = ConcurrentHashMap.newKeySet();
        Set<String> names1 = ConcurrentHashMap.newKeySet();
        Set<String> names2 = ConcurrentHashMap.newKeySet();
        PlayedBroker broker1 = new PlayedBroker();
        PlayedBroker broker2 = new PlayedBroker();
        broker1.redeliver();
        broker2.redeliver();
        try (Deduplicator dead = process(Duration.ofMillis(50))) {
            for (int i = 0; i < IDS; i += 7) {
                DedupAdapter.of(dead)
                        .admit(Delivery.of(dead.topic("orders"), "id" + i, null, () -> "dead"), WaitBudget.none());
            }
        }
        store.inject(StoreFault.before(StoreFault.Operation.CLAIM).share(0.03, seed));
        store.inject(StoreFault.after(StoreFault.Operation.CLAIM).share(0.03, seed + 1));
        try (Deduplicator process1 = process(Duration.ofSeconds(60));
                Deduplicator process2 = process(Duration.ofSeconds(60))) {
            SimpleConsumerLoop first = loop(process1, broker1, "p1 first ");
            SimpleConsumerLoop other = loop(process2, broker2, "p2 ");
            deliver(broker1, random, "a", names1, ids);
            deliver(broker2, random, "b", names2, ids);
            await().until(() -> acked(broker1).size() > MESSAGES / 4);
            first.close();
            assertThat(first.openMessages()).isZero();
            SimpleConsumerLoop second = loop(process1, broker1, "p1 second ");
            await().untilAsserted(() -> {
                assertThat(acked(broker1)).isEqualTo(names1);
                assertThat(acked(broker2)).isEqualTo(names2);
            });
            await().until(() -> second.openMessages() == 0 && other.openMessages() == 0);
            second.close();
            other.close();
            await().until(() -> DedupAdapter.of(process1).inFlight() == 0
                    && DedupAdapter.of(process2).inFlight() == 0);
        }
        assertThat(effects).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(ids);
        assertThat(wrong).isEmpty();
    }
}
