package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.ResultCodec;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.policy.DedupMode;
import io.dedup.testservers.kafka.KafkaServers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.KafkaListenerErrorHandler;
import org.springframework.kafka.listener.adapter.ReplyHeadersConfigurer;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.kafka.support.SendResult;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.SendTo;

/** What spring-kafka does between a handler's return and the sending of its reply fails: the effect has happened. */
class UnsendableReplyTest {
    private static final String TOPIC = "!{@replyTopic.apply(request)}";

    /** Listeners whose results are kept. */
    private enum Answering {
        RECORD,
        MANUAL,
        CLASS,
        ERROR_HANDLER
    }

    /** Listeners whose results aren't kept. */
    private enum Forgetful {
        RECORD,
        BATCH,
        LATER
    }

    record Records(Scene scene) {
        @KafkaListener(id = "answering", groupId = "${group}", topics = "${topic}")
        @SendTo(TOPIC)
        public String on(ConsumerRecord<String, String> request) {
            return answer(scene, Scene.id(request));
        }
    }

    record Manual(Scene scene) {
        @KafkaListener(id = "answering", groupId = "${group}", topics = "${topic}")
        @SendTo(TOPIC)
        public String on(ConsumerRecord<String, String> request, Acknowledgment ack) {
            ack.acknowledge();
            return answer(scene, Scene.id(request));
        }
    }

    @KafkaListener(id = "answering", groupId = "${group}", topics = "${topic}")
    record ByType(Scene scene) {
        @KafkaHandler
        @SendTo(TOPIC)
        public String on(String value, @Header("id") byte[] id) {
            return answer(scene, new String(id, StandardCharsets.UTF_8));
        }
    }

    record Apologizing(Scene scene) {
        @KafkaListener(id = "answering", groupId = "${group}", topics = "${topic}", errorHandler = "apology")
        @SendTo(TOPIC)
        public String on(ConsumerRecord<String, String> request) {
            String answer = answer(scene, Scene.id(request));
            if (answer.equals("a no. 1")) {
                throw new IllegalStateException("no answer");
            }
            return answer;
        }
    }

    record Batches(Scene scene) {
        @KafkaListener(id = "answering", groupId = "${group}", topics = "${topic}", batch = "true")
        @SendTo(TOPIC)
        public String on(List<String> requests) {
            requests.forEach(scene.effects::add);
            return "answers to " + requests.size();
        }
    }

    /** Its work ends when there is more of it. */
    record Later(Scene scene, CompletableFuture<String> first) {
        @KafkaListener(id = "answering", groupId = "${group}", topics = "${topic}")
        @SendTo(TOPIC)
        public CompletableFuture<String> on(ConsumerRecord<String, String> request) {
            String answer = answer(scene, Scene.id(request));
            if (Scene.id(request).equals("a")) {
                return first;
            }
            first.complete(answer);
            return CompletableFuture.completedFuture(answer);
        }
    }

    record Transfers(Scene scene, Ledger ledger) {
        @KafkaListener(id = "answering", groupId = "${group}", topics = "${topic}")
        @SendTo(TOPIC)
        public String on(ConsumerRecord<String, String> request) {
            ledger.effect(Scene.id(request));
            return answer(scene, Scene.id(request));
        }
    }

    private static String answer(Scene scene, String id) {
        scene.effects.add(id);
        return id + " no. " + scene.effects.size();
    }

    private Scene scene = new Scene();
    private String replies = scene.topic + "-r";
    private final AtomicInteger failures = new AtomicInteger(1);

    @AfterEach
    void close() {
        scene.close();
    }

    /** @param changes of the factory, whose reply template is set */
    private void start(
            Object listener, boolean kept, Consumer<ConcurrentKafkaListenerContainerFactory<String, String>> changes) {
        KafkaServers.shared().createTopic(replies, 1);
        KafkaDedupBuilder builder = KafkaDedup.builder(scene.dedup).id(KafkaMessageIds.header("id"));
        if (kept) {
            builder.reply(ResultCodec.utf8());
        }
        KafkaDedup kafka = scene.closeLater(builder.build());
        KafkaListenerErrorHandler apology = (message, e) -> "sorry";
        Function<Object, Object> replyTopic = request -> {
            failing("the reply's topic isn't known");
            return replies.getBytes(StandardCharsets.UTF_8);
        };
        new AnnotatedScene(scene)
                .with((container, annotated) -> kafka)
                .with("replyTopic", Function.class, replyTopic)
                .with("apology", KafkaListenerErrorHandler.class, apology)
                .with(factory -> {
                    factory.setReplyTemplate(scene.template());
                    changes.accept(factory);
                })
                .start(listener);
    }

    private void failing(String what) {
        if (failures.getAndDecrement() > 0) {
            throw new IllegalStateException(what);
        }
    }

    private void request(String... ids) {
        for (String id : ids) {
            scene.send(scene.record(0, id.getBytes(StandardCharsets.UTF_8), id));
        }
    }

    private List<String> replies() {
        return scene.records(replies).stream().map(ConsumerRecord::value).toList();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "K13 the topic of a kept reply isn't known: the request is answered at the next try, without a second run")
    void topicIsNotKnown(Answering shape) {
        Object listener = switch (shape) {
            case RECORD -> new Records(scene);
            case MANUAL -> new Manual(scene);
            case CLASS -> new ByType(scene);
            case ERROR_HANDLER -> new Apologizing(scene);
        };
        start(listener, true, factory -> {
            if (shape == Answering.MANUAL) {
                factory.getContainerProperties().setAckMode(AckMode.MANUAL_IMMEDIATE);
            }
        });
        request("a");

        scene.awaitCommitted(1);
        assertThat(scene.effects).containsExactly("a");
        assertThat(replies()).containsExactly(shape == Answering.ERROR_HANDLER ? "sorry" : "a no. 1");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "K13 the topic of a reply that isn't kept isn't known: its request is handled once, and stays unanswered")
    void topicIsNotKnown(Forgetful shape) {
        Object listener = switch (shape) {
            case RECORD -> new Records(scene);
            case BATCH -> new Batches(scene);
            case LATER -> new Later(scene, new CompletableFuture<>());
        };
        start(listener, false, factory -> {});
        request("a");
        await().until(() -> failures.get() <= 0);
        request("b");

        scene.awaitCommitted(2);
        assertThat(scene.effects).containsExactly("a", "b");
        await().untilAsserted(() ->
                assertThat(replies()).containsExactly(shape == Forgetful.BATCH ? "answers to 1" : "b no. 2"));
    }

    @Test
    @DisplayName(
            "K13 the message of a reply cannot be made: the request is answered at the next try, without a second run")
    void messageIsNotMade() {
        failures.set(0);
        AtomicBoolean unmade = new AtomicBoolean(true);
        start(
                new Records(scene),
                true,
                factory -> factory.setReplyHeadersConfigurer(new ReplyHeadersConfigurer() {
                    @Override
                    public boolean shouldCopy(String name, @Nullable Object value) {
                        return false;
                    }

                    @Override
                    public Map<String, Object> additionalHeaders() {
                        if (unmade.getAndSet(false)) {
                            throw new IllegalStateException("no headers");
                        }
                        return Map.of();
                    }
                }));
        request("a");

        scene.awaitCommitted(1);
        assertThat(scene.effects).containsExactly("a");
        assertThat(replies()).containsExactly("a no. 1");
    }

    @ParameterizedTest
    @EnumSource(
            value = DedupMode.class,
            names = {"TRANSACTIONAL", "LEASED_TRANSACTIONAL"})
    @DisplayName(
            "K13 in a database's transaction the run is rolled back, and the request is handled and answered again")
    void inTransaction(DedupMode mode) {
        try (Ledger ledger = Ledger.postgres()) {
            scene.close();
            scene = ledger.scene(mode);
            replies = scene.topic + "-r";
            start(new Transfers(scene, ledger), true, factory -> {});
            request("a");

            scene.awaitCommitted(1);
            assertThat(scene.effects).containsExactly("a", "a");
            assertThat(ledger.effects()).containsExactly("a");
            assertThat(replies()).containsExactly("a no. 2");
            scene.close();
        }
    }

    private enum InKafkaTransaction {
        TOPIC,
        SEND
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("K13 so it is in a Kafka transaction, also when the template refuses to send the reply")
    void inKafkaTransaction(InKafkaTransaction failing) {
        Transactions transactions = new Transactions(scene);
        AtomicBoolean refused = new AtomicBoolean(failing == InKafkaTransaction.SEND);
        failures.set(failing == InKafkaTransaction.TOPIC ? 1 : 0);
        KafkaTemplate<String, String> template = new KafkaTemplate<>(transactions.template.getProducerFactory()) {
            @Override
            public CompletableFuture<SendResult<String, String>> send(Message<?> message) {
                if (refused.getAndSet(false)) {
                    throw new IllegalStateException("refused");
                }
                return super.send(message);
            }
        };
        start(new Records(scene), true, factory -> {
            factory.setReplyTemplate(template);
            factory.getContainerProperties().setKafkaAwareTransactionManager(transactions.manager);
        });
        request("a");

        scene.awaitCommitted(1);
        assertThat(scene.effects).containsExactly("a", "a");
        assertThat(replies()).containsExactly("a no. 2");
    }
}
