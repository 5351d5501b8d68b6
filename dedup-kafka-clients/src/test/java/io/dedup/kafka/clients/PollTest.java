package io.dedup.kafka.clients;

import static io.dedup.kafka.clients.Scene.SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.LiveLease;
import io.dedup.MissingMessageIdException;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnStoreFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A poll loop")
class PollTest {
    private final Scene scene = new Scene(2);

    @AfterEach
    void close() throws Exception {
        scene.close();
    }

    @Test
    @DisplayName("claims a poll with one call, completes it with one call, or with one every 10 ms, and commits")
    void oneCallEach() {
        scene.send(0, "a", "b", "c");
        DedupPoll<String, String> poll = scene.open(scene.builder());
        List<Long> effectsAt = new ArrayList<>();

        scene.pollUntil(
                poll,
                record -> {
                    scene.effect(record);
                    effectsAt.add(System.nanoTime());
                },
                () -> scene.effects.size() == 3);

        assertThat(scene.effects).containsExactly("a", "b", "c");
        assertThat(scene.watched.calls("claim")).containsExactly("claim 3");
        Duration handling = Duration.ofNanos(effectsAt.get(2) - effectsAt.get(0));
        if (handling.compareTo(Duration.ofMillis(10)) < 0) {
            assertThat(scene.watched.calls("complete")).containsExactly("complete 3");
        } else { // on a busy machine
            assertThat(scene.watched.calls("complete")).hasSizeLessThanOrEqualTo((int) handling.toMillis() / 10 + 1);
        }
        assertThat(scene.committed(0)).isEqualTo(3);
    }

    @Test
    @DisplayName("commits duplicates without calling the handler")
    void duplicates() {
        scene.send(0, "a", "b");
        DedupPoll<String, String> poll = scene.open(scene.builder());
        scene.pollUntil(poll, () -> scene.effects.size() == 2);

        scene.send(0, "a", "b", "c", "b");
        scene.send(1, "a");
        scene.pollUntil(poll, () -> scene.effects.size() == 3);

        assertThat(scene.effects).containsExactly("a", "b", "c");
        await().pollInSameThread().until(() -> {
            int unused = poll.poll(SHORT, scene::effect);
            return scene.committed(0) == 6 && scene.committed(1) == 1;
        });
        assertThat(scene.effects).hasSize(3);
    }

    @Test
    @DisplayName("handles copies in one poll once, and commits the copy with its first")
    void copiesInOnePoll() {
        scene.send(0, "a", "b", "a", "a");
        DedupPoll<String, String> poll = scene.open(scene.builder());

        scene.pollUntil(poll, () -> scene.effects.size() == 2);

        assertThat(scene.committed(0)).isEqualTo(4);
        assertThat(scene.watched.calls("claim")).containsExactly("claim 2");
    }

    @Test
    @DisplayName("handles once what waits behind a failure in one partition, and has a copy in another")
    void copyOfWhatWaits() {
        scene.send(0, "x", "a");
        scene.send(1, "a", "b");
        AtomicInteger failures = new AtomicInteger();
        DedupPoll<String, String> poll = scene.open(scene.builder());

        scene.pollUntil(
                poll,
                record -> {
                    if (record.value().equals("x") && failures.getAndIncrement() < 3) {
                        throw new IllegalStateException("not yet");
                    }
                    scene.effect(record);
                },
                () -> scene.effects.contains("x"));

        assertThat(scene.effects).containsExactly("a", "b", "x");
        assertThat(scene.committed(0)).isEqualTo(2);
        assertThat(scene.committed(1)).isEqualTo(2);
    }

    @Test
    @DisplayName("releases a failed record, keeps its partition waiting, and goes on with the others")
    void handlerFails() {
        scene.send(0, "a", "bad", "c");
        scene.send(1, "d");
        AtomicInteger failures = new AtomicInteger();
        DedupPoll<String, String> poll = scene.open(scene.builder());

        scene.pollUntil(
                poll,
                record -> {
                    if (record.value().equals("bad") && failures.incrementAndGet() <= 2) {
                        throw new IllegalStateException("fails");
                    }
                    scene.effect(record);
                },
                () -> {
                    if (failures.get() == 1) {
                        assertThat(scene.committed(0)).isEqualTo(1);
                    }
                    return scene.effects.size() == 4;
                });

        assertThat(failures).hasValue(3);
        assertThat(scene.effects.stream().filter(each -> !each.equals("d"))).containsExactly("a", "bad", "c");
        assertThat(scene.effects.indexOf("d")).isLessThan(scene.effects.indexOf("bad"));
        assertThat(scene.committed(0)).isEqualTo(3);
    }

    @Test
    @DisplayName("counts attempts in the context, and gives up after so many, once the callback has worked")
    void givesUp() {
        scene.send(0, "bad", "b");
        List<Integer> attempts = new ArrayList<>();
        List<String> given = new ArrayList<>();
        DedupPoll<String, String> poll = scene.open(scene.builder().giveUpAfter(2, (record, cause) -> {
            given.add(record.value() + " " + cause.getMessage());
            if (given.size() == 1) {
                assertThat(scene.committed(0)).isZero();
                throw new IllegalStateException("no dead-letter topic");
            }
        }));

        await().pollInSameThread().until(() -> {
            int unused = poll.poll(SHORT, (record, context) -> {
                if (record.value().equals("bad")) {
                    attempts.add(context.attempt());
                    throw new IllegalStateException("fails");
                }
                scene.effect(record);
            });
            return scene.effects.contains("b");
        });

        assertThat(attempts).containsExactly(1, 2, 3);
        assertThat(given).containsExactly("bad fails", "bad fails");
        assertThat(scene.committed(0)).isEqualTo(2);
    }

    @Test
    @DisplayName("keeps a partition waiting for a record that must not run, unless it gives up")
    void withoutId() {
        scene.sendAll(List.of(new ProducerRecord<>(scene.topic, 0, null, "no id")));
        scene.send(0, "b");
        DedupPoll<String, String> waiting = scene.open(scene.builder());
        scene.pollUntil(waiting, () -> scene.committed(0) == 0); // where it begins, once it has the partition
        await().pollInSameThread().during(Duration.ofMillis(300)).until(() -> waiting.poll(SHORT, scene::effect) == 0);
        assertThat(scene.committed(0)).isZero();
        waiting.close();

        List<Exception> causes = new ArrayList<>();
        DedupPoll<String, String> poll =
                scene.open(scene.builder().giveUpAfter(5, (record, cause) -> causes.add(cause)));
        scene.pollUntil(poll, () -> scene.effects.contains("b"));

        assertThat(causes).singleElement().isInstanceOf(MissingMessageIdException.class);
        assertThat(scene.committed(0)).isEqualTo(2);
    }

    @Test
    @DisplayName("neither handles nor commits a record in flight elsewhere; other partitions go on")
    void inFlightElsewhere() throws Exception {
        Deduplicator other = scene.deduplicator();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        ExecutorService elsewhere = Executors.newSingleThreadExecutor();
        Future<?> first = elsewhere.submit(() -> other.execute(other.key(scene.topic, "b"), context -> {
            running.countDown();
            mayEnd.await();
            throw new IllegalStateException("fails");
        }));
        running.await();
        scene.send(0, "a", "b", "c");
        scene.send(1, "d", "e");
        DedupPoll<String, String> poll = scene.open(scene.builder());

        scene.pollUntil(poll, () -> scene.effects.size() == 3);
        int none = poll.poll(SHORT, scene::effect);
        assertThat(none).isZero();
        assertThat(scene.effects).containsExactlyInAnyOrder("a", "d", "e");
        assertThat(scene.committed(0)).isEqualTo(1);
        assertThat(scene.committed(1)).isEqualTo(2);

        mayEnd.countDown();
        assertThatThrownBy(first::get).hasMessageContaining("fails");
        scene.pollUntil(poll, () -> scene.effects.size() == 5);
        assertThat(scene.effects.subList(3, 5)).containsExactly("b", "c");
        assertThat(scene.committed(0)).isEqualTo(3);
        elsewhere.shutdown();
    }

    @Test
    @DisplayName("handles and commits nothing while the store is down")
    void storeDown() throws Exception {
        scene.store.down();
        scene.send(0, "a", "b");
        scene.send(1, "c");
        DedupPoll<String, String> poll = scene.open(scene.builder());

        scene.pollUntil(poll, () -> scene.store.struck() > 0);
        await().pollInSameThread().during(Duration.ofMillis(300)).until(() -> poll.poll(SHORT, scene::effect) == 0);
        assertThat(scene.effects).isEmpty();
        assertThat(scene.committed(0)).isZero();

        scene.store.heal();
        scene.pollUntil(poll, () -> scene.effects.size() == 3);
        assertThat(scene.committed(0)).isEqualTo(2);
    }

    @Test
    @DisplayName("with PAUSE, fetches again only when the store answers")
    void pause() throws Exception {
        try (Scene paused = new Scene(
                1, DedupPolicy.builder().onStoreFailure(OnStoreFailure.PAUSE).build())) {
            paused.store.down();
            paused.send(0, "a");
            FaultyConsumer consumer = new FaultyConsumer(paused.consumer(Map.of()));
            DedupPoll<String, String> poll = paused.open(paused.builder(), consumer.consumer);
            paused.pollUntil(poll, () -> consumer.count("pause") > 0);
            await().pollInSameThread()
                    .during(Duration.ofMillis(200))
                    .until(() -> poll.poll(SHORT, paused::effect) == 0);
            assertThat(consumer.count("resume")).isZero();

            paused.store.heal();
            paused.pollUntil(poll, () -> paused.effects.size() == 1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName(
            "a handler that fails after another consumer has taken over its claim doesn't decide about the message")
    void leaseLost(boolean batches) {
        scene.send(0, "a");
        Deduplicator other = scene.deduplicator();
        List<Exception> givenUp = new ArrayList<>();
        DedupPoll<String, String> poll =
                scene.open(scene.builder().giveUpAfter(1, (record, cause) -> givenUp.add(cause)));
        RecordHandler<String, String> handler = record -> {
            scene.watched.store.forget(other.key(scene.topic, "a"), LiveLease.OVERRIDE);
            var unused = other.execute(other.key(scene.topic, "a"), context -> scene.effects.add("elsewhere"));
            throw new IllegalStateException("too late");
        };

        await().pollInSameThread().until(() -> {
            int none = batches
                    ? poll.pollBatch(SHORT, records -> handler.handle(records.get(0)))
                    : poll.poll(SHORT, handler);
            return none == 0 && scene.committed(0) == 1;
        });

        assertThat(givenUp).isEmpty();
        assertThat(scene.effects).containsExactly("elsewhere");
    }

    @Test
    @DisplayName("acknowledges a success that the store cannot record, and doesn't repeat it")
    void storeDownAtCompletion() {
        scene.send(0, "a", "b");
        DedupPoll<String, String> poll = scene.open(scene.builder().maxPollInterval(Duration.ofSeconds(1)));
        scene.pollUntil(
                poll,
                record -> {
                    scene.effect(record);
                    if (record.value().equals("b")) {
                        scene.store.down();
                    }
                },
                () -> scene.effects.size() == 2);
        assertThat(scene.committed(0)).isEqualTo(2);
        scene.store.heal();

        scene.send(0, "a", "b", "c");
        scene.pollUntil(poll, () -> scene.effects.size() >= 3);
        assertThat(scene.effects).containsExactly("a", "b", "c");
    }

    @Test
    @DisplayName("throws an Error as it is, after settling its record and committing those before it")
    void error() {
        scene.send(0, "a", "b", "c");
        DedupPoll<String, String> poll = scene.open(scene.builder());
        AtomicInteger errors = new AtomicInteger();
        RecordHandler<String, String> handler = record -> {
            if (record.value().equals("b") && errors.incrementAndGet() == 1) {
                throw new AssertionError("of this process");
            }
            scene.effect(record);
        };

        assertThatThrownBy(() -> scene.pollUntil(poll, handler, () -> false))
                .isInstanceOf(AssertionError.class)
                .hasMessage("of this process");
        assertThat(scene.committed(0)).isEqualTo(1);
        assertThat(scene.watched.calls("release")).hasSize(2); // of b, and of c behind it

        scene.pollUntil(poll, handler, () -> scene.effects.size() == 3);
        assertThat(scene.effects).containsExactly("a", "b", "c");
    }

    @Test
    @DisplayName("commits what is handled before it throws a wake-up")
    void wakeUp() {
        scene.send(0, "a", "b");
        DedupPoll<String, String> poll = scene.open(scene.builder());

        assertThatThrownBy(() -> scene.pollUntil(
                        poll,
                        record -> {
                            scene.effect(record);
                            poll.consumer().wakeup();
                        },
                        () -> false))
                .isInstanceOf(WakeupException.class);

        assertThat(scene.effects).containsExactly("a", "b");
        assertThat(scene.committed(0)).isEqualTo(2);
    }

    @Test
    @DisplayName("stops at an interruption without losing the record")
    void interrupted() {
        scene.send(0, "a", "b");
        DedupPoll<String, String> poll = scene.open(scene.builder());

        assertThatThrownBy(() -> scene.pollUntil(
                        poll,
                        record -> {
                            if (record.value().equals("b")) {
                                throw new InterruptedException();
                            }
                            scene.effect(record);
                        },
                        () -> false))
                .isInstanceOf(InterruptException.class);
        assertThat(Thread.interrupted()).isTrue();

        assertThat(scene.committed(0)).isEqualTo(1);
        scene.pollUntil(poll, () -> scene.effects.size() == 2);
    }

    @Test
    @DisplayName("records successes while a later handler is still running")
    void successesAreRecordedSoon() {
        scene.send(0, "a", "b");
        DedupPoll<String, String> poll = scene.open(scene.builder());
        scene.pollUntil(
                poll,
                record -> {
                    if (record.value().equals("b")) {
                        await().until(() -> !scene.watched.calls("complete").isEmpty());
                    }
                    scene.effect(record);
                },
                () -> scene.effects.size() == 2);
    }

    @Test
    @DisplayName("gives back the claims behind a handler that hangs")
    void hangingHandler() {
        Deduplicator other = scene.deduplicator();
        scene.send(0, "a", "b");
        DedupPoll<String, String> poll = scene.open(scene.builder());
        scene.pollUntil(
                poll,
                record -> {
                    if (record.value().equals("a")) {
                        await().until(() ->
                                other.execute(other.key(scene.topic, "b"), context -> scene.effects.add("b elsewhere"))
                                        instanceof DedupOutcome.Handled);
                    }
                    scene.effect(record);
                },
                () -> scene.effects.contains("a"));

        scene.pollUntil(poll, () -> scene.committed(0) == 2);
        assertThat(scene.effects).containsExactly("b elsewhere", "a");
    }

    @Test
    @DisplayName("fetches the rest of a poll again once half of max.poll.interval.ms has passed")
    void slowHandlers() {
        scene.send(0, "a", "b", "c");
        DedupPoll<String, String> poll = scene.open(scene.builder().maxPollInterval(Duration.ofMillis(100)));
        List<Integer> handled = new CopyOnWriteArrayList<>();
        await().pollInSameThread().until(() -> {
            int some = poll.poll(SHORT, record -> {
                scene.effect(record);
                long begin = System.nanoTime();
                await().until(() ->
                        System.nanoTime() - begin > Duration.ofMillis(60).toNanos());
            });
            handled.add(some);
            return scene.effects.size() == 3;
        });

        assertThat(scene.effects).containsExactly("a", "b", "c");
        assertThat(handled.stream().filter(each -> each > 0)).containsExactly(1, 1, 1);
    }

    @Test
    @DisplayName("works with assigned partitions, and with a pattern")
    void assigned() {
        scene.send(0, "a");
        scene.send(1, "b");
        try (DedupPoll<String, String> one =
                scene.builder().openAssigned(scene.consumer(Map.of()), List.of(new TopicPartition(scene.topic, 0)))) {
            scene.pollUntil(one, () -> scene.effects.contains("a"));
        }
        assertThat(scene.committed(0)).isEqualTo(1);
        assertThat(scene.committed(1)).isEqualTo(-1);

        try (DedupPoll<String, String> all =
                scene.builder().open(scene.consumer(Map.of()), Pattern.compile(Pattern.quote(scene.topic)))) {
            scene.pollUntil(all, () -> scene.effects.contains("b"));
        }
        assertThat(scene.effects).containsExactly("a", "b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("refuses a consumer that commits by itself, or has no group")
    void badConsumers(String protocol) {
        try (var committing = scene.consumer(Map.of("enable.auto.commit", "true", "group.protocol", protocol))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> scene.builder().open(committing, List.of(scene.topic)))
                    .withMessageContaining("enable.auto.commit to false");
        }
        Map<String, Object> config = scene.config();
        config.remove("group.id");
        try (var groupless = new org.apache.kafka.clients.consumer.KafkaConsumer<>(
                config,
                new org.apache.kafka.common.serialization.StringDeserializer(),
                new org.apache.kafka.common.serialization.StringDeserializer())) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> scene.builder().open(groupless, List.of(scene.topic)))
                    .withMessageContaining("Set group.id");
        }
    }

    @Test
    @DisplayName("refuses a topic without an ID, a second group, and being used by its handler")
    void misuse() {
        try (var consumer = scene.consumer(Map.of())) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> DedupPoll.builder(scene.deduplicator)
                            .id("another", KafkaMessageIds.key())
                            .open(consumer, List.of(scene.topic)))
                    .withMessageContaining("No ID is set for topic " + scene.topic);
        }
        DedupPoll<String, String> poll = scene.open(scene.builder());
        try (var second = scene.consumer(Map.of("group.id", "another"))) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> scene.builder().open(second, List.of(scene.topic)))
                    .withMessageContaining("another");
        }
        scene.send(0, "a");
        List<Exception> causes = new ArrayList<>();
        scene.pollUntil(
                poll,
                record -> {
                    try {
                        poll.close();
                    } catch (IllegalStateException e) {
                        causes.add(e);
                    }
                },
                () -> !causes.isEmpty());
        poll.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> poll.poll(SHORT, (ConsumerRecord<String, String> record) -> {}))
                .withMessageContaining("closed");
    }
}
