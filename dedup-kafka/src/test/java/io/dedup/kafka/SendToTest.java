package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.Deduplicator;
import io.dedup.ResultCodec;
import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.policy.DedupMode;
import io.dedup.testservers.kafka.KafkaServers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.requestreply.ReplyingKafkaTemplate;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.kafka.support.SendResult;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.SendTo;

/** Requests, and what their duplicates are answered. */
class SendToTest {
    private enum Shape {
        AUTOMATIC,
        MANUAL,
        KAFKA_TRANSACTION
    }

    record Answering(Scene scene) {
        @KafkaListener(id = "answering", groupId = "${group}", topics = "${topic}")
        @SendTo
        public String on(ConsumerRecord<String, String> request) {
            scene.effects.add(Scene.id(request));
            return request.value() + " no. " + scene.effects.size();
        }
    }

    record ManualAnswering(Scene scene) {
        @KafkaListener(id = "answering", groupId = "${group}", topics = "${topic}")
        @SendTo
        public String on(ConsumerRecord<String, String> request, Acknowledgment ack) {
            scene.effects.add(Scene.id(request));
            ack.acknowledge();
            return request.value() + " no. " + scene.effects.size();
        }
    }

    /** Its work goes on when it has returned. */
    record AnsweringFirst(Scene scene, List<Acknowledgment> acknowledgments) {
        @KafkaListener(id = "answering", groupId = "${group}", topics = "${topic}")
        @SendTo
        public String on(ConsumerRecord<String, String> request, Acknowledgment ack) {
            scene.effects.add(Scene.id(request));
            acknowledgments.add(ack);
            return request.value() + " no. " + scene.effects.size();
        }
    }

    private Scene scene = new Scene();
    private final List<String> notKept = new CopyOnWriteArrayList<>();
    /** What duplicates were told of the runs that have handled their messages, whose text is kept beside the reply. */
    private final List<String> firstRuns = new CopyOnWriteArrayList<>();

    private @Nullable UnaryOperator<ConsumerRecord<String, String>> intercepted;

    private String first = scene.topic + "-r1";
    private String second = scene.topic + "-r2";

    @AfterEach
    void close() {
        scene.close();
        assertThat(firstRuns).allMatch("a run"::equals);
    }

    private void start(Object listener, KafkaTemplate<?, ?> replies, int maxResultBytes, Transactions transactions) {
        KafkaServers.shared().createTopic(first, 1);
        KafkaServers.shared().createTopic(second, 2);
        DeduplicatorBuilder builder = Deduplicators.builder(scene.store);
        if (scene.records != null) {
            builder.transactions(scene.records);
        }
        Deduplicator dedup = scene.closeLater(builder.consumer(scene.group + "-requests")
                .defaults(scene.dedup.topic(scene.topic).policy().toBuilder()
                        .maxResultBytes(maxResultBytes)
                        .build())
                .runReference(() -> "a run")
                .listener(new DedupListener() {
                    @Override
                    public void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {
                        firstRuns.add(String.valueOf(firstRun));
                    }

                    @Override
                    public void resultNotKept(DedupKey key, int bytes) {
                        notKept.add(key.messageId() + " " + bytes);
                    }
                })
                .build());
        KafkaDedup kafka = scene.closeLater(KafkaDedup.builder(dedup)
                .id(KafkaMessageIds.header("id"))
                .reply(ResultCodec.utf8())
                .build());
        new AnnotatedScene(scene)
                .with((container, annotated) -> kafka)
                .with(factory -> {
                    factory.setReplyTemplate(replies);
                    if (intercepted != null) {
                        factory.setRecordInterceptor((request, consumer) -> intercepted.apply(request));
                    }
                    if (listener instanceof ManualAnswering
                            || listener instanceof AnsweringFirst
                            || listener instanceof ManualTransfers) {
                        factory.getContainerProperties().setAckMode(AckMode.MANUAL_IMMEDIATE);
                    }
                    if (transactions != null) {
                        factory.getContainerProperties().setKafkaAwareTransactionManager(transactions.manager);
                    }
                })
                .start(listener);
    }

    private void request(String id, String replyTopic, String correlation) {
        ProducerRecord<String, String> request =
                scene.record(0, id.getBytes(StandardCharsets.UTF_8), "answer to " + id);
        request.headers().add(KafkaHeaders.REPLY_TOPIC, replyTopic.getBytes(StandardCharsets.UTF_8));
        request.headers().add(KafkaHeaders.CORRELATION_ID, correlation.getBytes(StandardCharsets.UTF_8));
        scene.send(request);
    }

    private List<String> replies(String topic) {
        return scene.records(topic).stream()
                .map(reply -> new String(
                                reply.headers()
                                        .lastHeader(KafkaHeaders.CORRELATION_ID)
                                        .value(),
                                StandardCharsets.UTF_8)
                        + ": " + reply.value())
                .toList();
    }

    @ParameterizedTest
    @EnumSource(Shape.class)
    @DisplayName(
            "K13 a duplicate request is answered with the kept reply, by its own topic and correlation ID; the handler runs once")
    void duplicateRequest(Shape shape) {
        Transactions transactions = shape == Shape.KAFKA_TRANSACTION ? new Transactions(scene) : null;
        start(
                shape == Shape.MANUAL ? new ManualAnswering(scene) : new Answering(scene),
                transactions == null ? scene.template() : transactions.template,
                100,
                transactions);
        request("a", first, "c1");
        request("a", second, "c2");
        request("b", first, "c3");

        scene.awaitCommitted(3);
        await().untilAsserted(() ->
                assertThat(replies(first)).containsExactly("c1: answer to a no. 1", "c3: answer to b no. 2"));
        assertThat(replies(second)).containsExactly("c2: answer to a no. 1");
        assertThat(scene.effects).containsExactly("a", "b");
        assertThat(firstRuns).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = Shape.class,
            names = {"AUTOMATIC", "MANUAL"})
    @DisplayName(
            "K13 where the reply cannot be prepared, the claim is given back, and the request is handled at the next try")
    void replyIsNotPrepared(Shape shape) {
        AtomicBoolean failing = new AtomicBoolean(true);
        intercepted = request -> new UnpreparedRequest(request, failing);
        start(shape == Shape.MANUAL ? new ManualAnswering(scene) : new Answering(scene), scene.template(), 100, null);
        request("a", first, "c1");

        scene.awaitCommitted(1);
        assertThat(failing).isFalse();
        assertThat(replies(first)).containsExactly("c1: answer to a no. 1");
    }

    /** Fails once when its reply is prepared. */
    private static final class UnpreparedRequest extends ConsumerRecord<String, String> {
        private final AtomicBoolean failing;

        UnpreparedRequest(ConsumerRecord<String, String> real, AtomicBoolean failing) {
            super(real.topic(), real.partition(), real.offset(), real.key(), real.value());
            real.headers().forEach(headers()::add);
            this.failing = failing;
        }

        @Override
        public String topic() {
            boolean prepared = StackWalker.getInstance()
                    .walk(frames ->
                            frames.anyMatch(frame -> frame.getClassName().endsWith(".ListenerReplies")));
            if (prepared && failing.getAndSet(false)) {
                throw new IllegalStateException("for once");
            }
            return super.topic();
        }
    }

    @Test
    @DisplayName("K13 a result that is larger than maxResultBytes isn't kept, and counted; its duplicates get no reply")
    void tooLarge() {
        start(new Answering(scene), scene.template(), 5, null);
        request("a", first, "c1");
        request("a", first, "c2");

        scene.awaitCommitted(2);
        assertThat(replies(first)).containsExactly("c1: answer to a no. 1");
        assertThat(scene.effects).containsExactly("a");
        assertThat(notKept).containsExactly("a 17");
        assertThat(firstRuns).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = Shape.class,
            names = {"AUTOMATIC", "MANUAL"})
    @DisplayName(
            "K13 a reply that cannot be sent: the request isn't acked, and is answered at the next try without a second run")
    void replyFails(Shape shape) {
        AtomicInteger failures = new AtomicInteger(2);
        List<Map<Integer, Long>> committedAtFailure = new CopyOnWriteArrayList<>();
        KafkaTemplate<String, String> failing = failing(failures, () -> committedAtFailure.add(scene.committed()));
        start(shape == Shape.MANUAL ? new ManualAnswering(scene) : new Answering(scene), failing, 100, null);
        request("a", first, "c1");

        scene.awaitCommitted(1);
        assertThat(replies(first)).containsExactly("c1: answer to a no. 1");
        assertThat(scene.effects).containsExactly("a");
        assertThat(committedAtFailure).hasSize(2).allMatch(Map::isEmpty);
    }

    @Test
    @DisplayName(
            "K13 so is one whose work isn't acknowledged yet, and each duplicate of it; nothing is committed until it is")
    void answeredBeforeItIsAcknowledged() {
        List<Acknowledgment> acknowledgments = new CopyOnWriteArrayList<>();
        start(new AnsweringFirst(scene, acknowledgments), failing(new AtomicInteger(1), () -> {}), 100, null);
        request("a", first, "c1");
        request("a", second, "c2");

        await().untilAsserted(() -> assertThat(replies(second)).containsExactly("c2: answer to a no. 1"));
        assertThat(replies(first)).containsExactly("c1: answer to a no. 1");
        assertThat(scene.effects).containsExactly("a");
        assertThat(scene.committed()).isEmpty();

        acknowledgments.get(0).acknowledge();
        scene.awaitCommitted(2);
    }

    record Transfers(Scene scene, Ledger ledger) {
        @KafkaListener(id = "transfers", groupId = "${group}", topics = "${topic}")
        @SendTo
        public String on(ConsumerRecord<String, String> request) {
            String id = Scene.id(request);
            ledger.effect(id);
            scene.effects.add(id);
            if (scene.effects.equals(List.of("a", "b"))) {
                throw new IllegalStateException("b is rolled back once");
            }
            return request.value() + " no. " + scene.effects.size();
        }
    }

    record ManualTransfers(Transfers transfers) {
        @KafkaListener(id = "transfers", groupId = "${group}", topics = "${topic}")
        @SendTo
        public String on(ConsumerRecord<String, String> request, Acknowledgment ack) {
            ack.acknowledge();
            return transfers.on(request);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "TRANSACTIONAL,AUTOMATIC",
        "TRANSACTIONAL,MANUAL",
        "LEASED_TRANSACTIONAL,AUTOMATIC",
        "LEASED_TRANSACTIONAL,MANUAL",
        "TIERED,AUTOMATIC"
    })
    @DisplayName(
            "K13 in a transaction: the reply is kept in it and sent after its commit; a rolled-back run answers nothing")
    void transactional(DedupMode mode, Shape shape) {
        try (Ledger ledger = Ledger.postgres()) {
            scene.close();
            scene = ledger.scene(mode);
            first = scene.topic + "-r1";
            second = scene.topic + "-r2";
            Transfers transfers = new Transfers(scene, ledger);
            AtomicInteger failures = new AtomicInteger(1);
            List<List<String>> effectsAtFailure = new CopyOnWriteArrayList<>();
            start(
                    shape == Shape.MANUAL ? new ManualTransfers(transfers) : transfers,
                    failing(failures, () -> effectsAtFailure.add(ledger.effects())),
                    100,
                    null);
            request("a", first, "c1");
            request("a", second, "c2");
            request("b", first, "c3");

            scene.awaitCommitted(3);
            assertThat(replies(first)).containsExactly("c1: answer to a no. 1", "c3: answer to b no. 3");
            assertThat(replies(second)).containsExactly("c2: answer to a no. 1");
            assertThat(ledger.effects()).containsExactly("a", "b");
            assertThat(effectsAtFailure).containsExactly(List.of("a"));
            scene.close();
        }
    }

    /** The scene's template, whose first sends fail. */
    private KafkaTemplate<String, String> failing(AtomicInteger failures, Runnable atFailure) {
        return new KafkaTemplate<>(scene.template().getProducerFactory()) {
            @Override
            public CompletableFuture<SendResult<String, String>> send(Message<?> message) {
                if (failures.getAndDecrement() > 0) {
                    atFailure.run();
                    return CompletableFuture.failedFuture(new IllegalStateException("no broker"));
                }
                return super.send(message);
            }
        };
    }

    @Test
    @DisplayName("K13 ReplyingKafkaTemplate: a request that is sent again gets the same reply")
    void requestReply() throws Exception {
        start(new Answering(scene), scene.template(), 100, null);
        var properties = new ContainerProperties(first);
        properties.setGroupId(scene.group + "-replies");
        Map<String, Object> config = scene.consumerConfig();
        var replies = new ConcurrentMessageListenerContainer<String, String>(
                new DefaultKafkaConsumerFactory<>(config, new StringDeserializer(), new StringDeserializer()),
                properties);
        var producers = new DefaultKafkaProducerFactory<>(
                Map.of("bootstrap.servers", (Object) scene.bootstrap), new StringSerializer(), new StringSerializer());
        scene.closeLater(producers::destroy);
        var template = new ReplyingKafkaTemplate<>(producers, replies);
        template.setDefaultReplyTimeout(Scene.PATIENCE);
        scene.closeLater(template::stop);
        template.start();
        assertThat(template.waitForAssignment(Duration.ofSeconds(20))).isTrue();

        for (int i = 0; i < 2; i++) {
            var request = scene.record(0, "a".getBytes(StandardCharsets.UTF_8), "answer to a");
            assertThat(template.sendAndReceive(request).get().value()).isEqualTo("answer to a no. 1");
        }
        assertThat(scene.effects).containsExactly("a");
    }
}
