package io.dedup.kafka.clients;

import static io.dedup.kafka.clients.Scene.SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A poll loop with a batch handler")
class BatchTest {
    private final Scene scene = new Scene(2);
    private final List<List<String>> batches = new CopyOnWriteArrayList<>();
    private boolean failing;

    @AfterEach
    void close() throws Exception {
        scene.close();
    }

    private void handle(List<ConsumerRecord<String, String>> records) {
        List<String> values = records.stream().map(ConsumerRecord::value).toList();
        batches.add(values);
        if (values.contains("bad") && failing) {
            throw new IllegalStateException("fails");
        }
        scene.effects.addAll(values);
    }

    private void pollUntil(DedupPoll<String, String> poll, BooleanSupplier reached) {
        await().pollInSameThread().until(() -> {
            int unused = poll.pollBatch(SHORT, this::handle);
            return reached.getAsBoolean();
        });
    }

    @Test
    @DisplayName("hands out the new records of a poll together, with one call of the store each way")
    void together() {
        scene.send(0, "a", "b", "a", "c");
        DedupPoll<String, String> poll = scene.open(scene.builder());
        pollUntil(poll, () -> !batches.isEmpty());

        assertThat(batches).containsExactly(List.of("a", "b", "c"));
        assertThat(scene.watched.calls("claim")).containsExactly("claim 3");
        assertThat(scene.watched.calls("complete")).containsExactly("complete 3");
        assertThat(scene.committed(0)).isEqualTo(4);

        scene.send(0, "b", "d", "c");
        pollUntil(poll, () -> scene.effects.contains("d") && scene.committed(0) == 7);
        assertThat(scene.effects).containsExactly("a", "b", "c", "d");
    }

    @Test
    @DisplayName("after a failure hands out each record alone; only the bad one's partition waits")
    void failure() {
        failing = true;
        scene.send(0, "a", "bad", "c");
        DedupPoll<String, String> poll = scene.open(scene.builder());
        pollUntil(poll, () -> batches.size() >= 4);

        assertThat(batches.subList(0, 3)).containsExactly(List.of("a", "bad", "c"), List.of("a"), List.of("bad"));
        assertThat(scene.committed(0)).isEqualTo(1);

        failing = false;
        pollUntil(poll, () -> scene.committed(0) == 3);
        assertThat(scene.effects).containsExactly("a", "bad", "c");
    }

    @Test
    @DisplayName("gives up a record that fails alone")
    void givesUp() {
        failing = true;
        scene.send(0, "a", "bad", "c");
        List<String> given = new CopyOnWriteArrayList<>();
        DedupPoll<String, String> poll = scene.open(
                scene.builder().giveUpAfter(2, (record, cause) -> given.add(String.valueOf(record.value()))));
        pollUntil(poll, () -> scene.committed(0) == 3);
        assertThat(given).containsExactly("bad");
        assertThat(scene.effects).containsExactly("a", "c");
    }

    @Test
    @DisplayName("cuts a partition at a record in flight elsewhere, and what follows it")
    void inFlightElsewhere() throws Exception {
        Deduplicator other = scene.deduplicator();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        ExecutorService elsewhere = Executors.newSingleThreadExecutor();
        Future<?> first = elsewhere.submit(() -> other.execute(other.key(scene.topic, "b"), context -> {
            running.countDown();
            mayEnd.await();
            return null;
        }));
        running.await();
        scene.send(0, "a", "b", "c");
        scene.send(1, "d", "c", "e");
        DedupPoll<String, String> poll = scene.open(scene.builder());
        pollUntil(poll, () -> scene.effects.contains("e"));

        assertThat(scene.effects).contains("a", "d", "c").doesNotContain("b");
        assertThat(scene.committed(0)).isEqualTo(1);

        mayEnd.countDown();
        first.get();
        pollUntil(poll, () -> scene.committed(0) == 3);
        assertThat(scene.effects).containsExactlyInAnyOrder("a", "d", "c", "e");
        elsewhere.shutdown();
    }

    @Test
    @DisplayName("an Error releases all of them, and nothing is committed")
    void error() {
        scene.send(0, "a", "b");
        DedupPoll<String, String> poll = scene.open(scene.builder());
        assertThatThrownBy(() -> await().pollInSameThread()
                        .until(() -> poll.pollBatch(SHORT, records -> {
                                    throw new AssertionError("of this process");
                                })
                                > 0))
                .isInstanceOf(AssertionError.class);
        assertThat(scene.committed(0)).isZero();
        pollUntil(poll, () -> scene.effects.size() == 2);
    }
}
