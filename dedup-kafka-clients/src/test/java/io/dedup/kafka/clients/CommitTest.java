package io.dedup.kafka.clients;

import static io.dedup.kafka.clients.Scene.SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A poll loop whose consumer fails")
class CommitTest {
    private final Scene scene = new Scene(1);
    private final FaultyConsumer faulty = new FaultyConsumer(scene.consumer(Map.of()));

    @AfterEach
    void close() throws Exception {
        scene.close();
    }

    static List<Supplier<RuntimeException>> laterCommits() {
        return List.of(
                () -> new TimeoutException("no answer"),
                RebalanceInProgressException::new,
                CommitFailedException::new); // also for a member's outdated epoch, which costs it no partition
    }

    @ParameterizedTest
    @MethodSource("laterCommits")
    @DisplayName("commits with the next poll what it could not commit now")
    void commitsLater(Supplier<RuntimeException> failure) {
        scene.send(0, "a");
        faulty.fail("commitSync", failure);
        DedupPoll<String, String> poll = scene.open(scene.builder(), faulty.consumer);

        scene.pollUntil(poll, () -> !scene.effects.isEmpty());
        assertThat(scene.committed(0)).isZero();
        int none = poll.poll(SHORT, scene::effect);

        assertThat(none).isZero();
        assertThat(scene.committed(0)).isEqualTo(1);
    }

    @Test
    @DisplayName("throws what committing again cannot help, and keeps its state")
    void fenced() {
        scene.send(0, "a");
        faulty.fail("commitSync", () -> new FencedInstanceIdException("another with this group.instance.id"));
        DedupPoll<String, String> poll = scene.open(scene.builder(), faulty.consumer);
        assertThatThrownBy(() -> scene.pollUntil(poll, () -> false)).isInstanceOf(FencedInstanceIdException.class);

        scene.pollUntil(poll, () -> scene.committed(0) == 1);
        assertThat(scene.effects).containsExactly("a");
    }

    @Test
    @DisplayName("commits in spite of a wake-up within the commit")
    void wokenUpInCommit() {
        scene.send(0, "a");
        faulty.fail("commitSync", WakeupException::new);
        DedupPoll<String, String> poll = scene.open(scene.builder(), faulty.consumer);
        assertThatThrownBy(() -> scene.pollUntil(poll, () -> false)).isInstanceOf(WakeupException.class);
        assertThat(scene.committed(0)).isEqualTo(1);
    }

    @Test
    @DisplayName("records successes before it commits them")
    void successesFirst() {
        scene.send(0, "a", "b");
        faulty.before(
                "commitSync", () -> assertThat(scene.watched.calls("complete")).isNotEmpty());
        DedupPoll<String, String> poll = scene.open(scene.builder(), faulty.consumer);
        scene.pollUntil(poll, () -> scene.committed(0) == 2);
    }

    @Test
    @DisplayName("polls no further before it has sought back")
    void seekFails() {
        scene.send(0, "a", "b");
        faulty.fail("seek", () -> new TimeoutException("first"));
        faulty.fail("seek", () -> new TimeoutException("second"));
        DedupPoll<String, String> poll = scene.open(scene.builder(), faulty.consumer);
        RecordHandler<String, String> handler = record -> {
            if (faulty.count("seek") == 0) {
                throw new IllegalStateException("fails");
            }
            scene.effect(record);
        };
        assertThatThrownBy(() -> scene.pollUntil(poll, handler, () -> false)).hasMessage("first");
        long polls = faulty.count("poll");
        assertThatThrownBy(() -> poll.poll(SHORT, handler)).hasMessage("second");
        assertThat(faulty.count("poll")).isEqualTo(polls);

        scene.pollUntil(poll, handler, () -> scene.effects.size() == 2);
        assertThat(scene.effects).containsExactly("a", "b");
        assertThat(scene.committed(0)).isEqualTo(2);
    }

    @Test
    @DisplayName("commits what is left when it is closed")
    void closeCommits() {
        scene.send(0, "a");
        faulty.fail("commitSync", () -> new TimeoutException("no answer"));
        DedupPoll<String, String> poll = scene.open(scene.builder(), faulty.consumer);
        scene.pollUntil(poll, () -> !scene.effects.isEmpty());
        poll.close();
        assertThat(scene.committed(0)).isEqualTo(1);
        assertThat(faulty.count("close")).isEqualTo(1);
        await().until(() -> scene.watched.calls("complete").size() == 1);
    }
}
