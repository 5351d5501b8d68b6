package io.dedup.kafka.clients;

import static io.dedup.kafka.clients.Scene.SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A poll loop whose consumer the application configures and uses")
class UsedConsumerTest {
    private final Scene scene = new Scene(2);

    @AfterEach
    void close() throws Exception {
        scene.close();
    }

    /** Removes some records, as interceptors do: a partition may keep an empty list. Created by the consumer. */
    public static final class Removing implements ConsumerInterceptor<String, String> {
        @Override
        public ConsumerRecords<String, String> onConsume(ConsumerRecords<String, String> records) {
            Map<TopicPartition, List<ConsumerRecord<String, String>>> kept = new HashMap<>();
            records.partitions()
                    .forEach(each -> kept.put(
                            each,
                            records.records(each).stream()
                                    .filter(record -> !record.value().startsWith("removed"))
                                    .toList()));
            return new ConsumerRecords<>(kept, records.nextOffsets());
        }

        @Override
        public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

        @Override
        public void close() {}

        @Override
        public void configure(Map<String, ?> configs) {}
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("goes on after an interceptor has removed all records of a partition")
    void interceptor(boolean batches) {
        scene.send(0, "removed 1", "removed 2");
        AtomicInteger polls = new AtomicInteger();
        DedupPoll<String, String> poll = scene.open(
                scene.builder(), scene.consumer(Map.of("interceptor.classes", List.of(Removing.class.getName()))));
        await().pollInSameThread().until(() -> {
            if (polls.incrementAndGet() == 5) {
                scene.send(0, "a", "removed 3", "b");
                scene.send(1, "removed 4", "c");
            }
            int unused = batches
                    ? poll.pollBatch(SHORT, records -> records.forEach(scene::effect))
                    : poll.poll(SHORT, scene::effect);
            return scene.effects.size() == 3;
        });
        assertThat(scene.committed(0)).isEqualTo(5);
        assertThat(scene.committed(1)).isEqualTo(2);
    }

    @Test
    @DisplayName("ends the hold of a partition that the application has paused before and resumed meanwhile")
    void pausedAndResumed() {
        TopicPartition partition = new TopicPartition(scene.topic, 0);
        scene.send(0, "a");
        DedupPoll<String, String> poll = scene.open(
                scene.builder().retryDelay(Duration.ofMillis(500), Duration.ofMillis(500)),
                scene.consumer(Map.of("fetch.max.wait.ms", 20)));
        AtomicInteger runs = new AtomicInteger();
        RecordHandler<String, String> handler = record -> {
            if (runs.incrementAndGet() == 1) {
                poll.consumer().pause(List.of(partition));
            }
            if (runs.get() <= 2) {
                throw new IllegalStateException("fails");
            }
            scene.effect(record);
        };
        scene.pollUntil(poll, handler, () -> runs.get() == 1);
        poll.consumer().resume(List.of(partition));
        scene.pollUntil(poll, handler, () -> runs.get() == 2);

        scene.pollUntil(poll, handler, () -> !scene.effects.isEmpty());
    }

    @ParameterizedTest
    @CsvSource({"OFFSET, false", "OFFSET, true", "EPOCH, false", "EPOCH, true", "BEGINNING, false"})
    @DisplayName("hands over again what a handler has sought back to, although it has returned")
    void soughtBack(String how, boolean batches) {
        TopicPartition partition = new TopicPartition(scene.topic, 0);
        scene.send(0, "a", "b", "c", "d");
        scene.send(1, "x", "y");
        DedupPoll<String, String> poll = scene.open(scene.builder());
        AtomicInteger left = new AtomicInteger(2);
        AtomicInteger skip = new AtomicInteger();
        RecordHandler<String, String> handler = record -> {
            if (record.value().equals("c") && left.getAndDecrement() > 0) {
                switch (how) {
                    case "OFFSET" -> poll.consumer().seek(partition, record.offset());
                    case "EPOCH" ->
                        poll.consumer()
                                .seek(partition, new OffsetAndMetadata(record.offset(), record.leaderEpoch(), ""));
                    default -> poll.consumer().seekToBeginning(List.of(partition));
                }
                skip.set(1);
            } else if (record.partition() == 1 || skip.get() == 0) {
                scene.effect(record);
            }
        };
        await().pollInSameThread().until(() -> {
            skip.set(0);
            int unused = poll(poll, batches, handler);
            return scene.effects.size() >= 6;
        });
        assertThat(scene.effects).containsExactlyInAnyOrder("a", "b", "c", "d", "x", "y");
        assertThat(scene.committed(0)).isEqualTo(4);
    }

    /** Seeks to a place whose leader the consumer has to ask before it knows its position. */
    private void seek(Consumer<?, ?> consumer, ConsumerRecord<?, ?> record, long offset) {
        consumer.seek(
                new TopicPartition(scene.topic, record.partition()),
                new OffsetAndMetadata(offset, record.leaderEpoch(), ""));
    }

    private int poll(DedupPoll<String, String> poll, boolean batches, RecordHandler<String, String> handler) {
        return batches
                ? poll.pollBatch(SHORT, records -> {
                    for (ConsumerRecord<String, String> each : records) {
                        handler.handle(each);
                    }
                })
                : poll.poll(SHORT, handler);
    }

    @ParameterizedTest
    @CsvSource({"classic, false", "classic, true", "consumer, false"})
    @DisplayName("hands it over again also if the consumer is woken up before it knows where the handler has sought to")
    void soughtBackAndWokenUp(String protocol, boolean batches) {
        scene.send(0, "a");
        DedupPoll<String, String> poll =
                scene.open(scene.builder(), scene.consumer(Map.of("group.protocol", protocol)));
        AtomicInteger runs = new AtomicInteger();
        RecordHandler<String, String> handler = record -> {
            if (runs.incrementAndGet() == 1) {
                seek(poll.consumer(), record, record.offset());
                poll.consumer().wakeup();
            } else {
                scene.effect(record);
            }
        };
        assertThatThrownBy(() ->
                        await().pollInSameThread().until(() -> poll(poll, batches, handler) < 0 || runs.get() > 1))
                .isInstanceOf(WakeupException.class);
        assertThat(runs).hasValue(1);
        assertThat(scene.committed(0)).isZero();
        await().pollInSameThread().until(() -> poll(poll, batches, handler) == 1);
        assertThat(scene.effects).containsExactly("a");
        assertThat(scene.committed(0)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("hands it over again also if the thread is interrupted while it asks where the handler has sought to")
    void soughtBackAndInterrupted(boolean batches) {
        scene.send(0, "a");
        FaultyConsumer faulty = new FaultyConsumer(scene.consumer(Map.of()));
        DedupPoll<String, String> poll = scene.open(scene.builder(), faulty.consumer);
        AtomicInteger runs = new AtomicInteger();
        RecordHandler<String, String> handler = record -> {
            if (runs.incrementAndGet() == 1) {
                seek(faulty.consumer, record, record.offset());
                faulty.fail("position", () -> new InterruptException("interrupted"));
            } else {
                scene.effect(record);
            }
        };
        assertThatThrownBy(() ->
                        await().pollInSameThread().until(() -> poll(poll, batches, handler) < 0 || runs.get() > 1))
                .isInstanceOf(InterruptException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(runs).hasValue(1);
        await().pollInSameThread().until(() -> poll(poll, batches, handler) == 1);
        assertThat(scene.effects).containsExactly("a");
    }

    @ParameterizedTest
    @CsvSource({"classic, false", "classic, true", "consumer, false"})
    @DisplayName("an interruption doesn't undo a success while the consumer doesn't know its position")
    void interruptedSuccess(String protocol, boolean batches) {
        scene.send(0, "a");
        DedupPoll<String, String> poll =
                scene.open(scene.builder(), scene.consumer(Map.of("group.protocol", protocol)));
        RecordHandler<String, String> handler = record -> {
            scene.effect(record);
            seek(poll.consumer(), record, record.offset() + 1);
            Thread.currentThread().interrupt();
        };
        await().pollInSameThread().until(() -> poll(poll, batches, handler) == 1);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(scene.effects).containsExactly("a");
        assertThat(scene.committed(0)).isEqualTo(1);
    }

    static Stream<Arguments> noAnswers() {
        return Stream.of(
                        new AuthenticationException("expired"),
                        new LogTruncationException("truncated", Map.of(), Map.of()),
                        new TimeoutException("no leader"),
                        new IllegalStateException("closed"))
                .flatMap(each -> Stream.of(Arguments.of(each, false), Arguments.of(each, true)));
    }

    @ParameterizedTest
    @MethodSource("noAnswers")
    @DisplayName("no failure of the question where the consumer is undoes a success")
    void positionFails(RuntimeException failure, boolean batches) {
        scene.send(0, "a");
        FaultyConsumer faulty = new FaultyConsumer(scene.consumer(Map.of()));
        DedupPoll<String, String> poll = scene.open(scene.builder(), faulty.consumer);
        RecordHandler<String, String> handler = record -> {
            if (scene.effects.isEmpty()) {
                faulty.fail("position", () -> failure);
            }
            scene.effect(record);
        };
        await().pollInSameThread().until(() -> poll(poll, batches, handler) == 1);
        assertThat(scene.effects).containsExactly("a");
        assertThat(scene.committed(0)).isEqualTo(1);
    }

    @Test
    @DisplayName("after a batch asks once for the position of each partition, and all questions share their time")
    void asksOncePerPartition() {
        FaultyConsumer faulty = new FaultyConsumer(scene.consumer(Map.of()));
        DedupPoll<String, String> poll =
                scene.open(scene.builder().maxPollInterval(Duration.ofSeconds(30)), faulty.consumer); // one second
        AtomicInteger sent = new AtomicInteger();
        AtomicInteger asked = new AtomicInteger();
        await().pollInSameThread().until(() -> {
            scene.send(0, "a" + sent.incrementAndGet(), "b" + sent);
            scene.send(1, "c" + sent, "d" + sent);
            Set<Integer> partitions = new HashSet<>();
            int unused = poll.pollBatch(SHORT, records -> {
                records.forEach(each -> partitions.add(each.partition()));
                if (partitions.size() == 2) {
                    asked.set((int) faulty.count("position"));
                    faulty.before("position", () -> {
                        long begin = System.nanoTime();
                        long passes = faulty.count("position") == asked.get() + 1 ? 1100 : 0;
                        await().until(() -> System.nanoTime() - begin
                                > Duration.ofMillis(passes).toNanos());
                        faulty.fail("position", () -> new TimeoutException("no leader"));
                    });
                }
            });
            return partitions.size() == 2;
        });
        List<Object> timeouts = faulty.arguments("position").stream()
                .skip(asked.get())
                .map(each -> each.get(1))
                .toList();
        assertThat(timeouts).hasSize(2).endsWith(Duration.ZERO);
    }

    @Test
    @DisplayName("goes on behind a record that cannot be deserialized, once the application has sought over it")
    void poison() {
        scene.send(0, "a", "poison", "b");
        scene.send(1, "c", "poison", "d");
        KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(scene.config(), new StringDeserializer(), (topic, data) -> {
                    String text = new String(data, StandardCharsets.UTF_8);
                    if (text.equals("poison")) {
                        throw new IllegalStateException("cannot be read");
                    }
                    return text;
                });
        DedupPoll<String, String> poll = scene.open(scene.builder(), consumer);
        AtomicInteger poisons = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        await().pollInSameThread().until(() -> {
            try {
                int unused = poll.poll(SHORT, record -> {
                    if (runs.incrementAndGet() % 2 == 1) {
                        throw new IllegalStateException("fails");
                    }
                    scene.effect(record);
                });
            } catch (RecordDeserializationException e) {
                poisons.incrementAndGet();
                consumer.seek(e.topicPartition(), e.offset() + 1);
            }
            return scene.effects.size() == 4;
        });
        assertThat(poisons).hasValue(2);
        assertThat(scene.effects).containsExactlyInAnyOrder("a", "b", "c", "d");
        assertThat(scene.committed(0)).isEqualTo(3);
        assertThat(scene.committed(1)).isEqualTo(3);
    }
}
