package io.dedup.kafka.clients;

import static io.dedup.kafka.clients.FaultyConsumer.COMMIT_BEGINNINGS;
import static io.dedup.kafka.clients.Scene.SHORT;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A poll loop whose group has no offsets yet")
class BeginningTest {
    private final Scene scene = new Scene(1);
    private final TopicPartition partition = new TopicPartition(scene.topic, 0);

    @AfterEach
    void close() throws Exception {
        scene.close();
    }

    private KafkaConsumer<String, String> latest(String protocol) {
        return scene.consumer(Map.of("auto.offset.reset", "latest", "group.protocol", protocol));
    }

    /** The handler fails, and the process dies. */
    private void failAndDie(DedupPoll<String, String> poll) {
        AtomicBoolean failed = new AtomicBoolean();
        scene.pollUntil(
                poll,
                record -> {
                    failed.set(true);
                    throw new IllegalStateException("fails");
                },
                failed::get);
        poll.consumer().close();
    }

    @ParameterizedTest
    @CsvSource({"classic,true", "consumer,false"})
    @DisplayName("begins there again after a crash, also where auto.offset.reset is latest")
    void latest(String protocol, boolean hasPolled) {
        KafkaConsumer<String, String> dying = latest(protocol);
        DedupPoll<String, String> first = scene.builder().open(dying, List.of(scene.topic));
        scene.pollUntil(first, () -> !dying.assignment().isEmpty());
        assertThat(dying.position(partition)).isZero();
        if (hasPolled) {
            scene.send(0, "a", "b");
            failAndDie(first);
        } else {
            assertThat(first.poll(SHORT, scene::effect)).isZero();
            dying.close();
            scene.send(0, "a", "b");
        }

        scene.pollUntil(scene.open(scene.builder(), latest(protocol)), () -> scene.effects.size() == 2);
        assertThat(scene.effects).containsExactly("a", "b");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("with assigned partitions, too")
    void assigned(boolean hasPolled) {
        KafkaConsumer<String, String> dying = latest("classic");
        DedupPoll<String, String> first = scene.builder().openAssigned(dying, List.of(partition));
        assertThat(first.poll(SHORT, scene::effect)).isZero();
        assertThat(dying.position(partition)).isZero();
        if (hasPolled) {
            scene.send(0, "a");
            failAndDie(first);
        } else {
            assertThat(first.poll(SHORT, scene::effect)).isZero();
            dying.close();
            scene.send(0, "a");
        }

        DedupPoll<String, String> second =
                scene.closing(scene.builder().openAssigned(latest("classic"), List.of(partition)));
        scene.pollUntil(second, () -> scene.effects.size() == 1);
    }

    static List<Supplier<RuntimeException>> refusals() {
        return List.of(RebalanceInProgressException::new, CommitFailedException::new);
    }

    @ParameterizedTest
    @MethodSource("refusals")
    @DisplayName("handles nothing before its beginning is committed")
    void committedFirst(Supplier<RuntimeException> refusal) {
        scene.send(0, "a");
        FaultyConsumer faulty = new FaultyConsumer(scene.consumer(Map.of()));
        faulty.fail(COMMIT_BEGINNINGS, refusal);
        DedupPoll<String, String> poll = scene.open(scene.builder(), faulty.consumer);
        scene.pollUntil(
                poll,
                record -> {
                    assertThat(scene.committed(0)).isZero();
                    scene.effect(record);
                },
                () -> !scene.effects.isEmpty());
        assertThat(faulty.count(COMMIT_BEGINNINGS)).isGreaterThan(1);
        assertThat(scene.committed(0)).isEqualTo(1);
    }

    @Test
    @DisplayName("with assigned partitions, waits while other consumers are members of its group, and loses nothing")
    void besideMembers() {
        DedupPoll<String, String> member =
                scene.open(scene.builder(), scene.consumer(Map.of("max.poll.interval.ms", 600_000)));
        scene.pollUntil(member, () -> scene.committed(0) == 0);
        scene.send(0, "a");
        DedupPoll<String, String> assigned =
                scene.closing(scene.builder().openAssigned(latest("classic"), List.of(partition)));
        for (int i = 0; i < 5; i++) {
            assertThat(assigned.poll(SHORT, scene::effect)).isZero();
        }
        member.close();
        scene.pollUntil(assigned, () -> scene.committed(0) == 1);
        assertThat(scene.effects).containsExactly("a");
    }
}
