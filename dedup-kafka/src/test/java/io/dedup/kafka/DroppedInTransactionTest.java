package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultAfterRollbackProcessor;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.transaction.KafkaAwareTransactionManager;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.util.backoff.FixedBackOff;

/**
 * K17 in a Kafka transaction: the container has no error handler there, so that nobody reports an exception that ends its
 * loop over the polled records. The records behind it are lost when a later commit passes them.
 */
@DisplayName("K17: records that a container with a Kafka transaction drops are fetched again, and no others")
class DroppedInTransactionTest {
    /** Begins a transaction, except for some: the first one is number 1. */
    private static final class FailingBegins implements KafkaAwareTransactionManager<String, String> {
        private final KafkaAwareTransactionManager<String, String> real;
        private final Set<Integer> failing;
        private final AtomicInteger begins = new AtomicInteger();

        FailingBegins(KafkaAwareTransactionManager<String, String> real, Set<Integer> failing) {
            this.real = real;
            this.failing = failing;
        }

        @Override
        public ProducerFactory<String, String> getProducerFactory() {
            return real.getProducerFactory();
        }

        @Override
        public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
            if (failing.contains(begins.incrementAndGet())) {
                throw new CannotCreateTransactionException("no answer to initTransactions");
            }
            return real.getTransaction(definition);
        }

        @Override
        public void commit(TransactionStatus status) {
            real.commit(status);
        }

        @Override
        public void rollback(TransactionStatus status) {
            real.rollback(status);
        }
    }

    private static Object listener(Transactions transactions, boolean batch) {
        return batch
                ? (BatchMessageListener<String, String>) records -> records.forEach(transactions::handle)
                : (MessageListener<String, String>) transactions::handle;
    }

    private static ConcurrentMessageListenerContainer<String, String> container(
            Transactions transactions, boolean batch) {
        return transactions.container(AckMode.BATCH, listener(transactions, batch));
    }

    @ParameterizedTest
    @CsvSource({"intercept, false", "afterRecord, false", "afterRecord, true"})
    void recordInterceptorFails(String method, boolean fixTxOffsets) {
        try (Scene scene = new Scene()) {
            Transactions transactions = new Transactions(scene);
            FailingInterceptors interceptors = new FailingInterceptors();
            var container = container(transactions, false);
            container.getContainerProperties().setFixTxOffsets(fixTxOffsets);
            container.setRecordInterceptor(
                    method.equals("intercept") ? interceptors.before("b") : interceptors.after("b"));
            scene.send("a", "b", "c", "d");
            scene.start(container);
            await().until(() -> interceptors.failures.get() > 0);
            scene.send("e"); // its commit passes what was dropped
            scene.awaitCommitted(5);
            assertThat(scene.effects).containsExactly("a", "b", "c", "d", "e");
            transactions.awaitOutputs("a", "b", "c", "d", "e");
        }
    }

    @Test
    void batchInterceptorFails() {
        try (Scene scene = new Scene()) {
            Transactions transactions = new Transactions(scene);
            FailingInterceptors interceptors = new FailingInterceptors();
            var container = container(transactions, true);
            container.setBatchInterceptor(interceptors.beforeBatch());
            scene.send("a", "b");
            scene.start(container);
            await().until(() -> interceptors.failures.get() > 0);
            scene.send("c");
            scene.awaitCommitted(3);
            assertThat(scene.effects).containsExactly("a", "b", "c");
            transactions.awaitOutputs("a", "b", "c");
        }
    }

    @Test
    void interceptorSetAfterDecorationIsRefused() {
        try (Scene scene = new Scene()) {
            Transactions transactions = new Transactions(scene);
            var records = container(transactions, false);
            scene.kafka.decorate(records);
            records.setRecordInterceptor(new FailingInterceptors().before("a"));
            var batches = container(transactions, true);
            scene.kafka.decorate(batches);
            batches.setBatchInterceptor(new FailingInterceptors().beforeBatch());
            for (var container : Set.of(records, batches)) {
                assertThatThrownBy(container::start)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("interceptor was set after KafkaDedup decorated the container");
            }
        }
    }

    /** Allowed here, unlike outside of a Kafka transaction: what isn't acknowledged is rolled back and fetched again. */
    @Test
    void fixTxOffsetsWithManualAcks() {
        try (Scene scene = new Scene()) {
            Transactions transactions = new Transactions(scene);
            var container = transactions.container(
                    AckMode.MANUAL, (AcknowledgingMessageListener<String, String>) (record, acknowledgment) -> {
                        transactions.handle(record);
                        if (scene.effects.size() > 1) {
                            acknowledgment.acknowledge();
                        }
                    });
            container.getContainerProperties().setFixTxOffsets(true);
            scene.send("a", "b");
            scene.start(container);
            scene.awaitCommitted(2);
            assertThat(scene.effects).containsExactly("a", "a", "b");
            transactions.awaitOutputs("a", "b");
        }
    }

    private static ConcurrentMessageListenerContainer<String, String> failingBegins(
            Transactions transactions, Object listener, Integer... failing) {
        Scene scene = transactions.scene;
        ContainerProperties properties = scene.properties(AckMode.BATCH, listener);
        properties.setKafkaAwareTransactionManager(new FailingBegins(transactions.manager, Set.of(failing)));
        var container = scene.container(properties, Map.of("isolation.level", "read_committed"));
        container.setAfterRollbackProcessor(new DefaultAfterRollbackProcessor<>(
                (record, e) -> transactions.recovered.add(Scene.id(record)),
                new FixedBackOff(0, 3),
                transactions.template,
                true)); // so that it runs in a transaction of its own
        return container;
    }

    /** The first transaction cannot begin, nor can that of the recovery: the container drops the poll. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void recoveryCannotBegin(boolean batch) {
        try (Scene scene = new Scene()) {
            Transactions transactions = new Transactions(scene);
            var container = failingBegins(transactions, listener(transactions, batch), 1, 2);
            scene.send("a", "b");
            scene.start(container);
            transactions.awaitOutputs("a", "b");
            scene.send("c");
            scene.awaitCommitted(3);
            assertThat(scene.effects).containsExactly("a", "b", "c");
            assertThat(transactions.recovered).isEmpty();
        }
    }

    /** The listener has sought to behind a and b, and fails; the transaction in which the processor would seek back cannot begin. */
    @Test
    void recoveryOfABatchThatHasSoughtCannotBegin() {
        try (Scene scene = new Scene()) {
            Transactions transactions = new Transactions(scene);
            AtomicBoolean once = new AtomicBoolean();
            BatchConsumerAwareMessageListener<String, String> listener = (batch, consumer) -> {
                if (once.compareAndSet(false, true)) {
                    assertThat(batch).hasSize(4);
                    consumer.seek(new TopicPartition(scene.topic, 0), 2);
                    throw new IllegalStateException("the handler fails");
                }
                batch.forEach(transactions::handle);
            };
            scene.send("a", "b", "c", "d");
            scene.start(failingBegins(transactions, listener, 2));
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("a", "b", "c", "d");
        }
    }

    /**
     * The commit of "a" gets no answer, and its recovery cannot begin, so that the container drops it. While the broker doesn't say where
     * the log of "a" begins, the transaction of "b" cannot begin either: what commits then is the recovery of "b", and not "a".
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void recoveryFinishesNoOther(boolean batch) {
        try (Scene scene = new Scene(2, policy -> policy)) {
            Transactions transactions = new Transactions(scene);
            FailingBegins begins = new FailingBegins(transactions.manager, Set.of(2, 3));
            AtomicBoolean sent = new AtomicBoolean();
            ContainerProperties properties = scene.properties(AckMode.BATCH, listener(transactions, batch));
            properties.setKafkaAwareTransactionManager(begins);
            var container = FaultyConsumers.container(
                    scene, properties, Map.of("isolation.level", "read_committed"), (method, argument) -> {
                        if (method.equals("beginningOffsets") && begins.begins.get() < 4) {
                            if (sent.compareAndSet(false, true)) {
                                scene.sendTo(1, "b");
                            }
                            throw new TimeoutException("the broker doesn't say where the log begins");
                        }
                    });
            container.setAfterRollbackProcessor(new DefaultAfterRollbackProcessor<>(
                    (record, e) -> transactions.recovered.add(Scene.id(record)),
                    new FixedBackOff(0, 3),
                    transactions.template,
                    true));
            transactions.next.set(producer -> {
                producer.abortTransaction();
                throw new TimeoutException("no answer");
            });
            scene.sendTo(0, "a");
            scene.start(container);
            await().untilAsserted(() -> assertThat(transactions.outputs()).containsExactlyInAnyOrder("a", "b"));
            assertThat(transactions.recovered).isEmpty();
        }
    }

    /** Handles a batch, and fails on "b" the first time. */
    private static BatchMessageListener<String, String> failingOnB(Transactions transactions) {
        AtomicBoolean failed = new AtomicBoolean();
        return records -> {
            for (int i = 0; i < records.size(); i++) {
                if (Scene.id(records.get(i)).equals("b") && failed.compareAndSet(false, true)) {
                    throw new BatchListenerFailedException("for once", i);
                }
                transactions.handle(records.get(i));
            }
        };
    }

    /**
     * The handler fails on "b": "a" is to be committed in a transaction of its own, the second one, and the rest recovered in
     * the third. Whichever cannot begin: all is redelivered that isn't committed, and no claim stays with nobody to release it.
     */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void partOrRecoveryCannotBegin(int failing) {
        try (Scene scene = new Scene()) {
            Transactions transactions = new Transactions(scene);
            scene.send("a", "b");
            scene.start(failingBegins(transactions, failingOnB(transactions), failing));
            transactions.awaitOutputs("a", "b");
            scene.send("c");
            scene.awaitCommitted(3);
            transactions.awaitOutputs("a", "b", "c");
            assertThat(transactions.recovered).isEmpty();
        }
    }

    private static ConcurrentMessageListenerContainer<String, String> faulty(
            Transactions transactions, boolean batch, Map<String, Object> settings, FaultyConsumers.BeforeCall before) {
        Scene scene = transactions.scene;
        ContainerProperties properties = scene.properties(AckMode.BATCH, listener(transactions, batch));
        properties.setKafkaAwareTransactionManager(transactions.manager);
        return FaultyConsumers.container(scene, properties, settings, before);
    }

    /** In shadow mode the handler runs for duplicates, too, as it does for records without an ID. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void committedIsNotFetchedAgain(boolean batch) {
        try (Scene scene = new Scene(policy -> policy.shadow(true))) {
            Transactions transactions = new Transactions(scene);
            AtomicBoolean fault = new AtomicBoolean();
            scene.send("a", "b");
            scene.start(faulty(transactions, batch, Map.of("isolation.level", "read_committed"), (method, argument) -> {
                if (method.equals("paused") && fault.compareAndSet(true, false)) {
                    throw new TimeoutException("a call of the consumer fails");
                }
            }));
            scene.awaitCommitted(2);
            fault.set(true);
            await().untilFalse(fault);
            scene.send("c");
            scene.awaitCommitted(3);
            assertThat(scene.effects).containsExactly("a", "b", "c");
            transactions.awaitOutputs("a", "b", "c");
        }
    }

    /** A seek to a committed offset that the broker has deleted would be reset to the log's end, past what is new. */
    @Test
    void committedIsDeletedFromTheLog() throws Exception {
        try (Scene scene = new Scene();
                Admin admin = Admin.create(Map.of("bootstrap.servers", scene.bootstrap))) {
            Transactions transactions = new Transactions(scene);
            TopicPartition partition = new TopicPartition(scene.topic, 0);
            scene.commitTheBegin(1);
            AtomicBoolean fault = new AtomicBoolean();
            AtomicBoolean failed = new AtomicBoolean();
            scene.send("a");
            scene.start(faulty(transactions, false, Map.of("auto.offset.reset", "latest"), (method, argument) -> {
                if (method.equals("paused") && fault.compareAndSet(true, false)) {
                    failed.set(true);
                    throw new TimeoutException("a call of the consumer fails");
                }
                if (method.equals("poll") && failed.compareAndSet(true, false)) {
                    scene.send("b"); // whatever the consumer has sought to was sought before this poll
                }
            }));
            scene.awaitCommitted(1);
            admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(1)))
                    .all()
                    .get();
            fault.set(true);
            scene.awaitCommitted(2);
            transactions.awaitOutputs("a", "b");
        }
    }
}
