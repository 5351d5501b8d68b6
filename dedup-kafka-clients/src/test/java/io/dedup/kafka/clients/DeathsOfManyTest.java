package io.dedup.kafka.clients;

import static io.dedup.kafka.clients.Scene.SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.adapter.ClaimAhead;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("After a process has died with many claims, a poll loop")
class DeathsOfManyTest {
    private final Scene scene = new Scene(
            1, DedupPolicy.builder().lease(Duration.ofMillis(100)).maxDeaths(1).build());
    private final List<String> given = new CopyOnWriteArrayList<>();
    private final List<State> before = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() throws Exception {
        scene.close();
    }

    @ParameterizedTest(name = "batches {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("T11 handles all of them, and records each before the next runs alone")
    void handlesAll(boolean batches) {
        List<String> ids = IntStream.range(0, 20).mapToObj(i -> "id" + i).toList();
        scene.send(0, ids.toArray(String[]::new));
        diesWith(ids);
        DedupPoll<String, String> poll = scene.open(
                scene.builder().giveUpAfter(1, (record, cause) -> given.add(String.valueOf(record.value()))));
        await().pollInSameThread().until(() -> {
            int unused = batches
                    ? poll.pollBatch(SHORT, each -> each.forEach(this::handle))
                    : poll.poll(SHORT, this::handle);
            return scene.committed(0) == ids.size();
        });
        assertThat(scene.effects).containsExactlyElementsOf(ids);
        assertThat(given).isEmpty();
        assertThat(before).hasSize(ids.size() - 1).containsOnly(State.DONE);
    }

    private void handle(ConsumerRecord<String, String> record) {
        if (!scene.effects.isEmpty()) {
            before.add(found(scene.effects.get(scene.effects.size() - 1)).state());
        }
        scene.effect(record);
    }

    /** Another process, with claims ahead. */
    private void diesWith(List<String> ids) {
        Deduplicator other = scene.deduplicator();
        List<@Nullable ClaimAhead> claims = DedupAdapter.of(other)
                .ahead()
                .claim(ids.stream()
                        .map(id -> Delivery.of(other.topic(scene.topic), id, null, () -> "elsewhere"))
                        .toList());
        assertThat(claims).doesNotContainNull();
        other.close(); // without a wait for its claims, whose leases run out
        await().until(() -> ids.stream().allMatch(id -> found(id).state() == State.ABANDONED));
    }

    private StoredRecord found(String id) {
        return scene.store.find(scene.deduplicator.key(scene.topic, id)).orElseThrow();
    }
}
