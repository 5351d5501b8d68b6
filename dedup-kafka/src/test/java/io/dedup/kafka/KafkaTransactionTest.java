package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.LiveLease;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.listener.AbstractConsumerSeekAware;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ConsumerAwareRebalanceListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultAfterRollbackProcessor;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.adapter.FilteringMessageListenerAdapter;
import org.springframework.util.backoff.FixedBackOff;

/** Read, process, write in Kafka transactions, in mode LEASED. */
@Order(1) // takes long
class KafkaTransactionTest {
    private final Scene scene = new Scene();
    private final Transactions transactions = new Transactions(scene);

    @AfterEach
    void close() {
        scene.close();
    }

    private Object listener(boolean batch) {
        return batch
                ? (BatchMessageListener<String, String>) records -> records.forEach(transactions::handle)
                : (MessageListener<String, String>) transactions::handle;
    }

    private State stateOf(String id) {
        return scene.store
                .find(scene.dedup.key(scene.topic, id))
                .map(StoredRecord::state)
                .orElse(State.RELEASED);
    }

    private void awaitDone(String... ids) {
        await().untilAsserted(() -> {
            for (String id : ids) {
                assertThat(stateOf(id)).as(id).isEqualTo(State.DONE);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("K10 done is written after the commit, and duplicates send nothing")
    void doneAfterCommit(boolean batch) {
        List<State> atCommit = new CopyOnWriteArrayList<>();
        transactions.next.set(producer -> {
            atCommit.add(stateOf("a"));
            producer.commitTransaction();
        });
        scene.send("a");
        scene.start(transactions.container(AckMode.BATCH, listener(batch)));
        awaitDone("a");
        scene.send("a", "b", "a", "b");

        scene.awaitCommitted(5);
        transactions.awaitOutputs("a", "b");
        assertThat(atCommit).containsExactly(State.PROCESSING);
        assertThat(scene.effects).containsExactly("a", "b");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("K10 a commit that fails takes the outputs back: not done, released, and handled again")
    void abort(boolean batch) {
        transactions.next.set(producer -> {
            throw new KafkaException("what was sent cannot be committed");
        });
        scene.send("a");
        scene.start(transactions.container(AckMode.BATCH, listener(batch)));

        scene.awaitCommitted(1);
        awaitDone("a");
        transactions.awaitOutputs("a");
        assertThat(scene.effects).containsExactly("a", "a");
        assertThat(scene.events).containsExactly("released a", "completed a");
        assertThat(transactions.recovered).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName(
            "K10 a fenced producer: rolled back and handled again, with the rest of the poll; no attempt is counted")
    void fenced(boolean batch) {
        AtomicInteger fences = new AtomicInteger();
        scene.send("a", "b", "c");
        Object listener = batch
                ? (BatchMessageListener<String, String>) records -> {
                    records.forEach(transactions::handle);
                    if (fences.getAndIncrement() < 3) {
                        transactions.fence(4);
                    }
                }
                : (MessageListener<String, String>) record -> {
                    transactions.handle(record);
                    if (fences.getAndIncrement() < 3) {
                        transactions.fence(4);
                    }
                };
        scene.start(transactions.container(AckMode.BATCH, listener, 0));

        awaitDone("a", "b", "c");
        scene.awaitCommitted(3);
        transactions.awaitOutputs("a", "b", "c");
        assertThat(transactions.recovered).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("K10 the answer to a commit gets lost: it was committed, and is done without a second run")
    void answerLost(boolean batch) {
        transactions.next.set(producer -> {
            producer.commitTransaction();
            throw new TimeoutException("no answer");
        });
        scene.send("a", "b");
        scene.start(transactions.container(AckMode.BATCH, listener(batch), 0));

        awaitDone("a", "b");
        transactions.awaitOutputs("a", "b");
        assertThat(scene.effects).containsExactly("a", "b");
        assertThat(transactions.recovered).isEmpty();
        scene.send("a", "c");
        awaitDone("c");
        transactions.awaitOutputs("a", "b", "c");
    }

    @Test
    @DisplayName(
            "K10 the answer to a commit gets lost that also covers records which an interceptor has left out: done once")
    void answerLostBehindAnInterceptor() {
        transactions.next.set(producer -> {
            producer.commitTransaction();
            throw new TimeoutException("no answer");
        });
        scene.send("a", "out");
        var container = transactions.container(AckMode.BATCH, listener(true), 0);
        container.setInterceptBeforeTx(false); // so that the container commits what the interceptor has left out, too
        container.setBatchInterceptor((records, consumer) -> Scene.without("out", records));
        scene.start(container);

        awaitDone("a");
        scene.send("b");
        awaitDone("b");
        transactions.awaitOutputs("a", "b");
        assertThat(scene.effects).containsExactly("a", "b");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("K10 a commit that never arrived: nobody runs it while that isn't known, then it runs again")
    void commitNeverArrived(boolean batch) {
        AtomicBoolean failed = new AtomicBoolean();
        transactions.next.set(producer -> {
            failed.set(true);
            throw new TimeoutException("no connection");
        });
        scene.send("a");
        scene.start(transactions.container(AckMode.BATCH, listener(batch), 0));
        await().untilTrue(failed);
        scene.send("a");
        await().during(java.time.Duration.ofMillis(1_500))
                .atMost(Scene.PATIENCE)
                .untilAsserted(() -> assertThat(scene.effects).containsExactly("a"));
        assertThat(stateOf("a")).isEqualTo(State.PROCESSING);

        transactions.fence(1); // ends the transaction, as its timeout would

        awaitDone("a");
        transactions.awaitOutputs("a");
        assertThat(scene.effects).containsExactly("a", "a");
        assertThat(transactions.recovered).isEmpty();
    }

    /** The group's coordinator doesn't answer the consumer as long as this is set. */
    private ConcurrentMessageListenerContainer<String, String> unanswering(
            boolean batch, Map<String, Object> settings, AtomicBoolean silent, AtomicBoolean asked) {
        ContainerProperties properties = scene.properties(AckMode.BATCH, listener(batch));
        properties.setKafkaAwareTransactionManager(transactions.manager);
        return FaultyConsumers.container(scene, properties, settings, (method, argument) -> {
            if (method.equals("committed") && silent.get()) {
                asked.set(true);
                throw new TimeoutException("the coordinator doesn't answer");
            }
        });
    }

    private static final Map<String, Object> READ_COMMITTED = Map.of("isolation.level", "read_committed");

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("K26 the answer to a commit gets lost, then the container stops: a copy isn't handled again")
    void answerLostThenStopped(boolean batch) {
        AtomicBoolean silent = new AtomicBoolean();
        AtomicBoolean asked = new AtomicBoolean();
        transactions.next.set(producer -> {
            producer.commitTransaction();
            silent.set(true);
            throw new TimeoutException("no answer");
        });
        scene.send("a");
        var container = scene.start(unanswering(batch, READ_COMMITTED, silent, asked));
        await().untilTrue(asked);
        container.stop();
        silent.set(false);
        scene.start(transactions.container(AckMode.BATCH, listener(batch), 0));
        scene.send("a", "b");

        awaitDone("a", "b");
        transactions.awaitOutputs("a", "b");
        assertThat(scene.effects).containsExactly("a", "b");
    }

    @Test
    @DisplayName("K26 the answer to a commit gets lost, then the partition: a copy isn't handled again")
    void answerLostThenRevoked() {
        try (Scene two = new Scene(2, policy -> policy)) {
            Transactions of = new Transactions(two);
            AtomicBoolean silent = new AtomicBoolean();
            AtomicBoolean asked = new AtomicBoolean();
            of.next.set(producer -> {
                producer.commitTransaction();
                silent.set(true);
                throw new TimeoutException("no answer");
            });
            two.send("a");
            Map<String, Object> settings = new HashMap<>(READ_COMMITTED);
            settings.putAll(TakeOverAssignor.ranked(1));
            ContainerProperties properties =
                    two.properties(AckMode.BATCH, (MessageListener<String, String>) of::handle);
            properties.setKafkaAwareTransactionManager(of.manager);
            two.start(FaultyConsumers.container(two, properties, settings, (method, argument) -> {
                if (method.equals("committed") && silent.get()) {
                    asked.set(true);
                    throw new TimeoutException("the coordinator doesn't answer");
                }
            }));
            await().untilTrue(asked);
            two.takeOver();
            silent.set(false);
            two.sendTo(1, "a");
            two.sendTo(1, "b");

            await().until(() -> two.effects.contains("b"));
            of.awaitOutputs("a", "b");
            assertThat(two.effects).containsExactly("a", "b");
        }
    }

    @Test
    @DisplayName("K26 a commit that never arrived, then the container stops: held while that isn't known, then handled")
    void commitNeverArrivedThenStopped() {
        AtomicBoolean silent = new AtomicBoolean();
        AtomicBoolean asked = new AtomicBoolean();
        scene.send("first");
        var container = scene.start(unanswering(false, READ_COMMITTED, silent, asked));
        transactions.awaitOutputs("first");
        asked.set(false);
        silent.set(true);
        transactions.next.set(producer -> {
            throw new TimeoutException("no connection");
        });
        scene.send("a");
        await().untilTrue(asked);
        container.stop();
        await().during(Duration.ofSeconds(3)) // longer than the lease
                .atMost(Scene.PATIENCE)
                .until(() -> stateOf("a") == State.PROCESSING);

        transactions.fence(2); // ends the transaction, as its timeout would

        await().until(() -> scene.events.contains("released a"));
        scene.start(transactions.container(AckMode.BATCH, listener(false), 0));
        awaitDone("a");
        transactions.awaitOutputs("first", "a");
    }

    @Test
    @DisplayName("K26 a commit that never arrived, in a replay below the committed offset: handled again")
    void commitNeverArrivedInAReplay() {
        scene.send("a", "b", "c");
        var first = scene.start(transactions.container(AckMode.BATCH, listener(false), 0));
        awaitDone("a", "b", "c");
        first.stop();
        scene.store.forget(scene.dedup.key(scene.topic, "a"), LiveLease.OVERRIDE);
        transactions.next.set(producer -> {
            throw new TimeoutException("no connection");
        });
        ContainerProperties properties = scene.properties(AckMode.BATCH, listener(false));
        properties.setKafkaAwareTransactionManager(transactions.manager);
        properties.setConsumerRebalanceListener(new ConsumerAwareRebalanceListener() {
            @Override
            public void onPartitionsAssigned(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
                consumer.seekToBeginning(partitions);
            }
        });
        scene.start(scene.container(properties, READ_COMMITTED));
        await().until(() -> scene.effects.size() > 3);
        transactions.fence(3); // ends the transaction, as its timeout would

        awaitDone("a");
        transactions.awaitOutputs("a", "b", "c", "a");
    }

    private final class SeekingListener extends AbstractConsumerSeekAware implements MessageListener<String, String> {
        @Override
        public void onMessage(ConsumerRecord<String, String> record) {
            transactions.handle(record);
        }
    }

    /** The transaction of a recovery commits nothing if its record is retried. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("K26 the answer to the commit of a retry gets lost: it was committed, and is done without another run")
    void answerToARetryLost(boolean batch) {
        AtomicBoolean failed = new AtomicBoolean();
        MessageListener<String, String> failsOnce = record -> {
            if (failed.compareAndSet(false, true)) {
                throw new IllegalStateException("the first try");
            }
            transactions.next.set(producer -> {
                producer.commitTransaction();
                throw new TimeoutException("no answer");
            });
            transactions.handle(record);
        };
        scene.send("a");
        var container = transactions.container(
                AckMode.BATCH,
                batch
                        ? (BatchMessageListener<String, String>) records -> records.forEach(failsOnce::onMessage)
                        : failsOnce);
        container.setAfterRollbackProcessor(new DefaultAfterRollbackProcessor<>(
                (record, e) -> transactions.recovered.add(Scene.id(record)),
                new FixedBackOff(0, 1),
                transactions.template,
                true));
        container.getContainerProperties().setBatchRecoverAfterRollback(batch);
        scene.start(container);

        awaitDone("a");
        scene.awaitCommitted(1);
        transactions.awaitOutputs("a");
        assertThat(scene.effects).containsExactly("a");
        assertThat(transactions.recovered).isEmpty();
    }

    private static final class SeekingBatches extends AbstractConsumerSeekAware
            implements BatchMessageListener<String, String> {
        private final List<Integer> sizes = new CopyOnWriteArrayList<>();
        private final Transactions transactions;

        SeekingBatches(Transactions transactions) {
            this.transactions = transactions;
        }

        @Override
        public void onMessage(List<ConsumerRecord<String, String>> records) {
            sizes.add(records.size());
            records.forEach(transactions::handle);
        }
    }

    /** The other partition shows it: a transaction commits all or nothing. */
    @Test
    @DisplayName(
            "K26 the answer to a batch's commit gets lost that moves the group in one of its partitions only: committed")
    void answerLostInAPartialReplay() {
        try (Scene two = new Scene(2, policy -> policy)) {
            Transactions of = new Transactions(two);
            SeekingBatches listener = new SeekingBatches(of);
            two.send("a");
            var container = two.start(of.container(AckMode.BATCH, listener, 0));
            of.awaitOutputs("a");
            two.awaitAllCommitted();
            container.pause();
            await().until(container::isContainerPaused);
            two.store.forget(two.dedup.key(two.topic, "a"), LiveLease.OVERRIDE);
            two.sendTo(1, "b");
            of.next.set(producer -> {
                producer.commitTransaction();
                throw new TimeoutException("no answer");
            });
            listener.seekToBeginning();
            container.resume();

            await().untilAsserted(() -> assertThat(of.outputs()).containsExactlyInAnyOrder("a", "a", "b"));
            two.awaitAllCommitted();
            two.sendTo(1, "c");
            await().until(() -> two.effects.contains("c"));
            assertThat(listener.sizes).containsExactly(1, 2, 1);
        }
    }

    /** The group's offset is the same with this commit and without it. */
    @Test
    @DisplayName("K26 a commit that never arrived, in a replay of the record that was committed last: handled again")
    void commitNeverArrivedInAReplayOfTheLast() {
        SeekingListener listener = new SeekingListener();
        scene.send("a");
        scene.start(transactions.container(AckMode.BATCH, listener, 0));
        awaitDone("a");
        scene.awaitAllCommitted();
        scene.store.forget(scene.dedup.key(scene.topic, "a"), LiveLease.OVERRIDE);
        transactions.next.set(producer -> {
            throw new TimeoutException("no connection");
        });
        listener.seekToBeginning();
        await().until(() -> scene.effects.size() > 1);
        transactions.fence(1); // ends the transaction, as its timeout would

        transactions.awaitOutputs("a", "a");
        awaitDone("a");
        assertThat(scene.effects).containsExactly("a", "a", "a");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("K3 in flight elsewhere: deferred without limit, and never recovered; what is before it is committed")
    void deferred(boolean batch) {
        Execution elsewhere = scene.runningElsewhere("b");
        scene.send("a", "b", "c");
        scene.start(transactions.container(AckMode.BATCH, listener(batch), 0));

        await().until(() -> scene.deferrals.size() > 12);
        awaitDone("a");
        transactions.awaitOutputs("a");
        scene.awaitCommitted(1);
        elsewhere.succeed(null, WaitBudget.none());

        scene.awaitCommitted(3);
        transactions.awaitOutputs("a", "c");
        assertThat(scene.effects).containsExactly("a", "c");
        assertThat(transactions.recovered).isEmpty();
    }

    @Test
    @DisplayName("T1 a handler that throws: what it sent is rolled back, retried, given up by the user's processor")
    void failing() {
        scene.send("a", "bad", "c");
        scene.send(scene.record(0, null, "no ID"));
        scene.send("bad", "d");
        AtomicInteger calls = new AtomicInteger();
        var container = transactions.container(AckMode.RECORD, (MessageListener<String, String>) record -> {
            transactions.handle(record);
            if (Scene.id(record).equals("bad")) {
                calls.incrementAndGet();
                throw new IllegalStateException("bad one");
            }
        });
        container.setAfterRollbackProcessor(new DefaultAfterRollbackProcessor<>(
                (record, e) -> transactions.recovered.add(String.valueOf(record.value())), new FixedBackOff(0, 1)));
        scene.start(container);

        awaitDone("a", "c", "d");
        scene.awaitCommitted(6);
        transactions.awaitOutputs("a", "c", "d");
        assertThat(calls).as("each copy: one try, one retry").hasValue(4);
        assertThat(transactions.recovered).containsExactly("v-bad", "no ID", "v-bad");
        assertThat(stateOf("bad")).isEqualTo(State.RELEASED);
    }

    @Test
    @DisplayName(
            "K6 a batch that fails on a record it names: the good ones before are committed apart, all the rest comes again")
    void failingBatch() {
        AtomicInteger calls = new AtomicInteger();
        List<Map<Integer, Long>> committed = new CopyOnWriteArrayList<>();
        scene.send("a", "a", "b", "bad", "c");
        scene.start(transactions.container(AckMode.BATCH, (BatchMessageListener<String, String>) records -> {
            for (ConsumerRecord<String, String> record : records) {
                if (Scene.id(record).equals("bad")) {
                    committed.add(scene.committed());
                }
                if (Scene.id(record).equals("bad") && calls.incrementAndGet() < 3) {
                    throw new BatchListenerFailedException("bad one", record);
                }
                transactions.handle(record);
            }
        }));

        scene.awaitCommitted(5);
        awaitDone("a", "b", "bad", "c");
        transactions.awaitOutputs("a", "b", "bad", "c");
        assertThat(transactions.recovered).isEmpty();
        assertThat(committed).as("each time it is tried").hasSize(3).element(2).isEqualTo(Map.of(0, 3L));
    }

    @Test
    @DisplayName(
            "K6 a batch behind which a rejected record lies: only that one is given up, what is behind it is handled")
    void rejectedInBatch() {
        scene.send("a");
        scene.send(scene.record(0, null, "no ID"));
        scene.send("b", "a");
        var container = transactions.container(AckMode.BATCH, listener(true));
        List<String> given = new CopyOnWriteArrayList<>();
        var processor = new DefaultAfterRollbackProcessor<String, String>(
                (record, e) -> given.add(String.valueOf(record.value())),
                new FixedBackOff(0, 0),
                transactions.template,
                true);
        container.getContainerProperties().setBatchRecoverAfterRollback(true);
        container.setAfterRollbackProcessor(processor);
        scene.start(container);

        scene.awaitCommitted(4);
        awaitDone("a", "b");
        transactions.awaitOutputs("a", "b");
        assertThat(given).containsExactly("no ID");
    }

    @Test
    @DisplayName("T5 a recovered record whose offset cannot be committed with the recovery is fetched again, not lost")
    void recoveryFails() {
        scene.send("bad", "c");
        List<String> given = new CopyOnWriteArrayList<>();
        var container = transactions.container(AckMode.RECORD, (MessageListener<String, String>) record -> {
            if (Scene.id(record).equals("bad")) {
                throw new IllegalStateException("bad one");
            }
            transactions.handle(record);
        });
        container.setAfterRollbackProcessor(new DefaultAfterRollbackProcessor<>(
                (record, e) -> {
                    transactions.send("dead " + Scene.id(record));
                    if (given.isEmpty()) {
                        transactions.next.set(producer -> {
                            throw new KafkaException("the recovery cannot be committed");
                        });
                    }
                    given.add(Scene.id(record));
                },
                new FixedBackOff(0, 0),
                transactions.template,
                true));
        scene.start(container);

        awaitDone("c");
        scene.awaitCommitted(2);
        transactions.awaitOutputs("dead bad", "c");
        assertThat(given).containsExactly("bad", "bad");
    }

    @ParameterizedTest
    @EnumSource(
            value = AckMode.class,
            names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName(
            "K5 what the handler doesn't acknowledge is rolled back and comes again; the ack is part of the transaction")
    void manual(AckMode mode) {
        AtomicInteger calls = new AtomicInteger();
        scene.send("a", "b");
        scene.start(transactions.container(
                mode,
                (AcknowledgingMessageListener<String, String>) (record, ack) -> {
                    transactions.handle(record);
                    if (calls.getAndIncrement() > 0) {
                        ack.acknowledge();
                    }
                },
                0));

        scene.awaitCommitted(2);
        awaitDone("a", "b");
        transactions.awaitOutputs("a", "b");
        assertThat(scene.effects).containsExactly("a", "a", "b");
        assertThat(transactions.recovered).isEmpty();
    }

    @Test
    @DisplayName("a lease that was lost before the commit: rolled back, since another consumer may have the message")
    void leaseLost() {
        AtomicBoolean lost = new AtomicBoolean();
        scene.send("a");
        scene.start(transactions.container(AckMode.RECORD, (MessageListener<String, String>) record -> {
            transactions.handle(record);
            if (lost.compareAndSet(false, true)) { // what an operator does to a handler that seems to hang
                scene.store.forget(scene.dedup.key(scene.topic, "a"), LiveLease.OVERRIDE);
                await().until(() -> DedupAdapter.of(scene.dedup).inFlight() == 1);
                await().until(() -> scene.events.contains("lease lost a"));
            }
        }));

        awaitDone("a");
        transactions.awaitOutputs("a");
        assertThat(scene.effects).containsExactly("a", "a");
    }

    @Test
    @DisplayName(
            "a common error handler would commit what a failed handler has sent: refused, with what to use instead")
    void refused() {
        var withHandler = transactions.container(AckMode.RECORD, listener(false));
        withHandler.setCommonErrorHandler(new DefaultErrorHandler());
        assertThatThrownBy(() -> scene.start(withHandler))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("afterRollbackProcessor");

        var replaced = transactions.container(AckMode.RECORD, listener(false));
        scene.kafka.decorate(replaced);
        replaced.setAfterRollbackProcessor(new DefaultAfterRollbackProcessor<>());
        assertThatThrownBy(replaced::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("decorate");
    }

    @Test
    @DisplayName("K5 a filter that doesn't acknowledge what it drops would have it rolled back for ever: refused")
    void refusesFilterWithoutAcks() {
        AcknowledgingMessageListener<String, String> manual = (record, ack) -> ack.acknowledge();

        assertThatThrownBy(() -> scene.start(transactions.container(
                        AckMode.MANUAL, new FilteringMessageListenerAdapter<>(manual, record -> true))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ackDiscarded");
        scene.send("a", "b");
        scene.start(transactions.container(
                AckMode.MANUAL, new FilteringMessageListenerAdapter<>(manual, record -> true, true)));
        await().until(() -> scene.committed().getOrDefault(0, 0L) >= 2); // and the transactions' markers
    }
}
