package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.testkit.kafka.KafkaReplay;
import io.dedup.testkit.replay.TopicReplay;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;

/** Where the testkit cannot know, or not yet, it mustn't say that all is well. */
class TopicReplayDoubtsTest {
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private static final ThreadLocal<List<String>> SNAPSHOT = new ThreadLocal<>();

    private final Scene scene = new Scene(1, policy -> policy);
    private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void close() {
        scene.close();
        later.shutdownNow();
        SNAPSHOT.remove();
    }

    private void startPlain(MessageListener<String, String> listener) {
        var container = scene.container(AckMode.RECORD, listener);
        scene.closeLater(container::stop);
        container.start();
    }

    private KafkaReplay replay() {
        return KafkaReplay.of(scene.bootstrap)
                .topic(scene.topic)
                .group(scene.group)
                .ids(KafkaMessageIds.header("id"))
                .atMost(LIMIT)
                .effects(() -> scene.effects);
    }

    @Test
    @DisplayName("a listener that acks and works later is convicted, although all was acked when its effects doubled")
    void effectAfterTheAck() {
        startPlain(record -> {
            var unused = later.schedule(() -> scene.effect().accept(record), 150, TimeUnit.MILLISECONDS);
        });
        scene.send("a", "b");
        await().until(() -> scene.effects.size() == 2);

        try (TopicReplay replay = replay().build()) {
            assertThatThrownBy(() -> replay.all().bySendingAgain().assertThat().handledOncePerId())
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("took effect more than once");
        }
    }

    @Test
    @DisplayName("copies behind somebody's open transaction aren't passed over")
    void openTransaction() {
        startPlain(record -> scene.effect().accept(record));
        scene.send("a");
        try (var open = new KafkaProducer<>(
                        Map.of("bootstrap.servers", scene.bootstrap, "transactional.id", "open-" + scene.group),
                        new StringSerializer(),
                        new StringSerializer());
                TopicReplay replay = replay().atMost(Duration.ofSeconds(2)).build()) {
            open.initTransactions();
            open.beginTransaction();
            await().until(() -> scene.effects.size() == 1);
            var unused = open.send(new ProducerRecord<>(scene.topic, "key", "value"));
            open.flush();

            assertThatThrownBy(() -> replay.all().bySendingAgain())
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("1 of the copies")
                    .hasMessageContaining("open");
            open.abortTransaction();
        }
    }

    @Test
    @DisplayName("an extractor that finds no IDs, or a topic without messages, proves nothing")
    void nothingKnown() {
        startPlain(record -> scene.effect().accept(record));
        try (TopicReplay empty = replay().build()) {
            assertThatThrownBy(() -> empty.report().assertThat().lostNothing())
                    .hasMessageContaining("is empty, so nothing can be checked");
        }
        scene.send("a");
        try (TopicReplay wrong =
                replay().ids(KafkaMessageIds.header("order-id")).build()) {
            assertThatThrownBy(() -> wrong.report().assertThat().lostNothing())
                    .hasMessageContaining("1 messages have no usable message ID");
        }
    }

    @Test
    @DisplayName("effects are asked for outside of the test's own transaction, which may see an old snapshot")
    void onAnotherThread() {
        startPlain(record -> {
            scene.effect().accept(record);
            scene.effect().accept(record);
        });
        SNAPSHOT.set(List.of("a"));
        scene.send("a");
        try (TopicReplay replay = replay().effects(() -> SNAPSHOT.get() == null ? scene.effects : SNAPSHOT.get())
                .build()) {
            assertThatThrownBy(() -> replay.report().assertThat().handledOncePerId())
                    .hasMessageContaining("took effect more than once");
        }
    }
}
