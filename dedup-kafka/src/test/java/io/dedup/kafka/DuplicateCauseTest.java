package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.id.KafkaMessageIds;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.listener.AbstractConsumerSeekAware;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.ContainerProperties.ShareAckMode;
import org.springframework.kafka.listener.MessageListener;

@DisplayName("Why a record is a duplicate")
class DuplicateCauseTest {
    private final Scene scene = new Scene(policy -> policy.explainDuplicates(true));

    @AfterEach
    void close() {
        scene.close();
    }

    private Object listener(boolean batch) {
        return batch
                ? (BatchMessageListener<String, String>) records -> records.forEach(scene.effect())
                : (MessageListener<String, String>) scene.effect()::accept;
    }

    private void awaitCauses(String... causes) {
        await().untilAsserted(() -> assertThat(scene.causes).containsExactly(causes));
    }

    /** Another process: nothing of what this one has seen. */
    private KafkaDedup process() {
        return KafkaDedup.builder(scene.closeLater(scene.deduplicator(policy -> policy.explainDuplicates(true))))
                .id(KafkaMessageIds.header("id"))
                .build();
    }

    @ParameterizedTest(name = "batch={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("resent: another record with the same ID, in another poll and in the same one")
    void resent(boolean batch) {
        scene.send("a");
        scene.start(scene.container(AckMode.BATCH, listener(batch)));
        scene.awaitCommitted(1);
        scene.send("a");
        scene.awaitCommitted(2);
        awaitCauses("resent a");
    }

    @Test
    @DisplayName("resent: copies in one batch are compared with each other")
    void resentInBatch() {
        scene.send("a", "a", "a");
        scene.start(scene.container(AckMode.BATCH, listener(true)));
        awaitCauses("resent a", "resent a");
    }

    @Test
    @DisplayName(
            "redelivered, because a rebalance came before the commit; concurrent, because its first run had not ended")
    void rebalance() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        scene.send("a", "b");
        MessageListener<String, String> slow = record -> {
            if (Scene.id(record).equals("b")) {
                running.countDown();
                awaitLatch(finish);
            }
            scene.effect().accept(record);
        };
        scene.start(scene.container(scene.properties(AckMode.BATCH, slow), Map.of("max.poll.interval.ms", 1000)));
        awaitLatch(running);
        scene.closeLater(scene.kafka);
        scene.kafka = process();
        scene.start(scene.container(AckMode.BATCH, listener(false)));
        await().until(() -> scene.deferrals.contains("b IN_FLIGHT"));
        assertThat(scene.causes).containsExactly("redelivered a");
        finish.countDown();
        awaitCauses("redelivered a", "concurrent b");
        scene.awaitCommitted(2);
        assertThat(scene.effects).containsExactly("a", "b");
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest(name = "batch={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "replayed: a process that has just started finds proof of a commit in the records of a group that was reset")
    void reset(boolean batch) {
        scene.send("a", "b", "c", "d");
        var first = scene.container(scene.properties(AckMode.BATCH, listener(batch)), Map.of("max.poll.records", 1));
        scene.runUntilCommitted(first);
        scene.rewind();
        scene.kafka.close();
        scene.kafka = process();
        scene.start(scene.container(AckMode.BATCH, listener(batch)));
        scene.awaitCommitted(4);
        // Before the first proof, which is the commit of the first record, kept with the third at the latest.
        assertThat(scene.causes).hasSize(4).endsWith("replayed c", "replayed d").startsWith("redelivered a");
        assertThat(scene.effects).containsExactly("a", "b", "c", "d");
    }

    @Test
    @DisplayName("replayed: the same process has committed before the group was reset")
    void resetBelowOwnCommit() {
        scene.send("a", "b");
        scene.runUntilCommitted(scene.container(AckMode.BATCH, listener(false)));
        scene.rewind();
        scene.start(scene.container(AckMode.BATCH, listener(false)));
        awaitCauses("replayed a", "replayed b");
    }

    @ParameterizedTest(name = "batch={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("replayed: an asynchronous commit is proof when it was answered")
    void commitAsync(boolean batch) {
        scene.send("a", "b");
        ContainerProperties asynchronous = scene.properties(AckMode.BATCH, listener(batch));
        asynchronous.setSyncCommits(false);
        List<String> answers = new CopyOnWriteArrayList<>();
        asynchronous.setCommitCallback((offsets, failure) -> answers.add(failure == null ? "committed" : "failed"));
        var container = scene.start(scene.container(asynchronous, Map.of()));
        scene.awaitAllCommitted();
        await().until(() -> answers.contains("committed"));
        container.stop();
        scene.rewind();
        scene.start(scene.container(AckMode.BATCH, listener(batch)));
        awaitCauses("replayed a", "replayed b");
    }

    @ParameterizedTest(name = "batch={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "in Kafka transactions, whose producer commits, a replay is redelivered, and a resent record is resent")
    void kafkaTransactions(boolean batch) {
        Transactions transactions = new Transactions(scene);
        scene.send("a", "b");
        var container = scene.start(transactions.container(AckMode.BATCH, listener(batch)));
        scene.awaitAllCommitted();
        container.stop();
        scene.rewind();
        scene.send("b");
        scene.start(transactions.container(AckMode.BATCH, listener(batch)));
        awaitCauses("redelivered a", "redelivered b", "resent b");
    }

    @Test
    @DisplayName(
            "in a share group, whose broker keeps no offset that a consumer knows, a replay is redelivered, and a resent record is resent")
    void shareGroup() {
        try (ShareScene group = new ShareScene(new Scene(policy -> policy.explainDuplicates(true)))) {
            group.scene.send("a", "b", "a");
            MessageListener<String, String> listener = group.scene.effect()::accept;
            var container = group.start(group.container(ShareAckMode.EXPLICIT, listener));
            group.awaitSettled();
            assertThat(group.scene.causes).containsExactly("resent a");
            container.stop();
            group.rewind();
            group.start(group.container(ShareAckMode.EXPLICIT, listener));
            await().untilAsserted(() -> assertThat(group.scene.causes)
                    .containsExactly("resent a", "redelivered a", "redelivered b", "resent a"));
            assertThat(group.scene.effects).containsExactly("a", "b");
        }
    }

    @Test
    @DisplayName("the sender of a copy is what the header says that the policy names")
    void sender() {
        try (Scene named = new Scene(policy -> policy.explainDuplicates(true).senderHeader("host"))) {
            named.start(named.container(AckMode.BATCH, (MessageListener<String, String>) named.effect()::accept));
            ProducerRecord<String, String> copy = named.record(0, "a".getBytes(StandardCharsets.UTF_8), "v");
            copy.headers().add("host", new byte[1_000_000 / 2]).add("host", "shop-7".getBytes(StandardCharsets.UTF_8));
            named.send("a");
            named.send(copy);
            named.awaitCommitted(2);
            assertThat(named.senders).containsExactly("shop-7");
        }
    }

    private final class Seeking extends AbstractConsumerSeekAware implements MessageListener<String, String> {
        @Override
        public void onMessage(ConsumerRecord<String, String> record) {
            scene.effect().accept(record);
        }

        void seek(long offset) {
            TopicPartition partition = new TopicPartition(scene.topic, 0);
            getSeekCallbacksFor(partition).forEach(each -> each.seek(scene.topic, 0, offset));
        }
    }

    @Test
    @DisplayName("replayed: the application has sought back below what is committed; new records are no duplicates")
    void sought() {
        Seeking listener = new Seeking();
        scene.send("a", "b");
        scene.start(scene.container(AckMode.BATCH, listener));
        scene.awaitCommitted(2);
        listener.seek(1);
        awaitCauses("replayed b");
        scene.send("c");
        scene.awaitEffects("a", "b", "c");
        assertThat(scene.causes).containsExactly("replayed b");
    }

    @Test
    @DisplayName("concurrent: found in flight in another process, without any place")
    void concurrent() {
        var elsewhere = scene.runningElsewhere("a");
        scene.send("a");
        scene.start(scene.container(AckMode.BATCH, listener(false)));
        await().until(() -> scene.deferrals.size() >= 2);
        assertThat(elsewhere.succeed(null, WaitBudget.none())).isEqualTo(Completion.DONE);
        awaitCauses("concurrent a");
    }

    @Test
    @DisplayName("unknown: the policy keeps no places")
    void off() {
        try (Scene plain = new Scene()) {
            plain.send("a");
            plain.start(plain.container(AckMode.BATCH, (MessageListener<String, String>) plain.effect()::accept));
            plain.awaitCommitted(1);
            plain.send("a");
            plain.awaitCommitted(2);
            assertThat(plain.causes).containsExactly("unknown a");
        }
    }
}
