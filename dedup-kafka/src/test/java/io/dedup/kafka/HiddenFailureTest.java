package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.policy.DedupMode;
import io.dedup.policy.TransactionSpan;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultAfterRollbackProcessor;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.KafkaListenerErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.adapter.DefaultBatchToRecordAdapter;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.resilience.retry.MethodRetrySpec;
import org.springframework.resilience.retry.SimpleRetryInterceptor;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;
import org.springframework.util.backoff.FixedBackOff;

/** Failures of a method that something within its run takes, or answers by another call, instead of passing them to the container. */
class HiddenFailureTest {
    /** What takes the failure of a method. */
    enum Taker {
        OF_RECORD,
        OF_RECORD_IN_POLL,
        BEFORE_ITS_ACKNOWLEDGMENT,
        OF_BATCH,
        BATCH_TO_RECORD;

        boolean isBatch() {
            return this == OF_BATCH || this == BATCH_TO_RECORD;
        }
    }

    private final List<String> recovered = new CopyOnWriteArrayList<>();
    private final List<String> taken = new CopyOnWriteArrayList<>();
    private final AtomicBoolean broken = new AtomicBoolean(true);
    private final KafkaListenerErrorHandler takes = (message, failure) -> {
        taken.add(String.valueOf(failure.getCause().getMessage()));
        return "taken";
    };
    private Consumer<String> effect = id -> {};

    /** Writes, and then fails with some. */
    private void handle(String id) {
        effect.accept(id);
        if (id.equals("bad") && broken.get()) {
            throw new IllegalStateException("fails");
        }
    }

    final class OfRecord {
        @KafkaListener(id = "taken", groupId = "${group}", topics = "${topic}", errorHandler = "takes")
        public void on(ConsumerRecord<String, String> record) {
            handle(Scene.id(record));
        }
    }

    final class Acknowledging {
        @KafkaListener(id = "taken", groupId = "${group}", topics = "${topic}", errorHandler = "takes")
        public void on(ConsumerRecord<String, String> record, Acknowledgment acknowledgment) {
            handle(Scene.id(record));
            acknowledgment.acknowledge();
        }
    }

    final class OfBatch {
        @KafkaListener(id = "taken", groupId = "${group}", topics = "${topic}", errorHandler = "takes", batch = "true")
        public void on(List<ConsumerRecord<String, String>> records) {
            for (int i = 0; i < records.size(); i++) {
                try {
                    handle(Scene.id(records.get(i)));
                } catch (IllegalStateException e) {
                    throw new BatchListenerFailedException("fails", e, i);
                }
            }
        }
    }

    final class OneByOne {
        @KafkaListener(id = "taken", groupId = "${group}", topics = "${topic}", batch = "true")
        public void on(String value, @Header("id") byte[] id) {
            handle(new String(id, StandardCharsets.UTF_8));
        }
    }

    private Object listener(Taker taker) {
        return switch (taker) {
            case OF_RECORD, OF_RECORD_IN_POLL -> new OfRecord();
            case BEFORE_ITS_ACKNOWLEDGMENT -> new Acknowledging();
            case OF_BATCH -> new OfBatch();
            case BATCH_TO_RECORD -> new OneByOne();
        };
    }

    private void start(
            Scene scene, Taker taker, Consumer<ConcurrentKafkaListenerContainerFactory<String, String>> changes) {
        new AnnotatedScene(scene)
                .with("takes", KafkaListenerErrorHandler.class, takes)
                .with(factory -> {
                    factory.setCommonErrorHandler(new DefaultErrorHandler(
                            (record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, 1)));
                    if (taker == Taker.BEFORE_ITS_ACKNOWLEDGMENT) {
                        factory.getContainerProperties().setAckMode(AckMode.MANUAL);
                    }
                    if (taker == Taker.BATCH_TO_RECORD) {
                        factory.setBatchListener(true);
                        factory.setBatchToRecordAdapter(new DefaultBatchToRecordAdapter<>((record, e) ->
                                taken.add(String.valueOf(e.getCause().getMessage()))));
                    }
                    changes.accept(factory);
                })
                .start(listener(taker));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "K11 a failure that is taken within a transaction rolls back: no half of an effect, and a replay is handled")
    void taken(Taker taker) {
        TransactionSpan span = taker == Taker.OF_RECORD_IN_POLL ? TransactionSpan.POLL : TransactionSpan.RECORD;
        try (Ledger ledger = Ledger.postgres();
                Scene scene = ledger.scene(DedupMode.TRANSACTIONAL, 1, policy -> policy.transaction(span))) {
            effect = ledger::effect;
            scene.send("a", "bad", "b");
            start(scene, taker, factory -> {});

            scene.awaitCommitted(3);
            assertThat(ledger.effects()).containsExactly("a", "b");
            assertThat(recovered).containsExactly("bad");
            assertThat(taken).isNotEmpty().allMatch(each -> each.startsWith("fails"));

            broken.set(false);
            scene.send("bad");
            scene.awaitCommitted(4);
            assertThat(ledger.effects()).containsExactly("a", "b", "bad");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"OF_RECORD", "BEFORE_ITS_ACKNOWLEDGMENT", "OF_BATCH", "BATCH_TO_RECORD"})
    @DisplayName(
            "K11 a failure that is taken within a Kafka transaction rolls back: nothing that the method sent is committed")
    void takenInKafkaTransaction(Taker taker) {
        try (Scene scene = new Scene()) {
            Transactions transactions = new Transactions(scene);
            effect = transactions::send;
            scene.send("a", "bad", "b");
            start(scene, taker, factory -> {
                factory.setCommonErrorHandler(null);
                factory.getContainerProperties().setKafkaAwareTransactionManager(transactions.manager);
                factory.setAfterRollbackProcessor(new DefaultAfterRollbackProcessor<>(
                        (record, e) -> recovered.add(Scene.id(record)),
                        new FixedBackOff(0, 1),
                        transactions.template,
                        true));
                factory.getContainerProperties().setBatchRecoverAfterRollback(taker.isBatch());
            });

            transactions.awaitOutputs("a", "b");
            await().untilAsserted(() -> assertThat(recovered).containsExactly("bad"));

            broken.set(false);
            scene.send("bad");
            transactions.awaitOutputs("a", "b", "bad");
        }
    }

    @Test
    @DisplayName("a failure that is taken in mode LEASED counts as handled")
    void takenInLeasedMode() {
        try (Scene scene = new Scene()) {
            effect = scene.effects::add;
            scene.send("a", "bad", "b", "bad");
            start(scene, Taker.OF_RECORD, factory -> {});

            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("a", "bad", "b");
            assertThat(recovered).isEmpty();
            assertThat(taken).containsExactly("fails");
        }
    }

    @EnableKafka
    @EnableResilientMethods(proxyTargetClass = true)
    static class Config {}

    static class Repeated {
        @Retryable
        @KafkaListener(id = "repeated", groupId = "${group}", topics = "${topic}")
        public void on(String value) {}
    }

    @ParameterizedTest
    @EnumSource
    @Tag(SpringKafkaLine.TAG_4) // Spring Framework 7
    @DisplayName("K11 a method that an advice calls again is refused where a transaction is around all calls")
    void repeated(DedupMode mode) {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = mode.isTransactional() ? ledger.scene(mode) : new Scene()) {
            AnnotatedScene app = new AnnotatedScene(scene);
            if (mode.isTransactional()) {
                assertThatThrownBy(() -> app.start(new Repeated(), Config.class))
                        .rootCause()
                        .hasMessageContaining("Repeated.on is called again after a failure")
                        .hasMessageContaining("RetryAnnotationInterceptor")
                        .hasMessageContaining("Remove that advice");
            } else {
                app.start(new Repeated(), Config.class);
                scene.send("a");
                scene.awaitCommitted(1);
            }
        }
    }

    @Test
    @Tag(SpringKafkaLine.TAG_4) // Spring Framework 7
    @DisplayName("K11 a method that an advice calls again is refused in a Kafka transaction")
    void repeatedInKafkaTransaction() {
        try (Scene scene = new Scene()) {
            Transactions transactions = new Transactions(scene);
            AnnotatedScene app = new AnnotatedScene(scene)
                    .with(factory ->
                            factory.getContainerProperties().setKafkaAwareTransactionManager(transactions.manager));
            assertThatThrownBy(() -> app.start(new Repeated(), Config.class))
                    .rootCause()
                    .hasMessageContaining("it has a Kafka transaction, and its handler Repeated.on is called again");
        }
    }

    /** A proxy of a proxy with this advice. */
    private static Object behindProxies(Object listener, Advice advice) {
        ProxyFactory inner = new ProxyFactory(listener);
        inner.addAdvice(advice);
        ProxyFactory outer = new ProxyFactory(inner.getProxy());
        MethodInterceptor passes = call -> call.proceed();
        outer.addAdvice(passes);
        return outer.getProxy();
    }

    /** A listener that is called again once. */
    static Object retried(MessageListener<String, String> listener) {
        MethodRetrySpec once = new MethodRetrySpec((method, e) -> true, 1, Duration.ZERO);
        return behindProxies(listener, new SimpleRetryInterceptor(once));
    }

    @Test
    @Tag(SpringKafkaLine.TAG_4) // Spring Framework 7
    @DisplayName("advices are found behind a proxy of a proxy, too")
    void behindProxies() {
        Object retried = retried(record -> {});
        try (Ledger ledger = Ledger.postgres();
                Scene scene = ledger.scene(DedupMode.TRANSACTIONAL)) {
            assertThatThrownBy(() -> scene.start(scene.container(AckMode.BATCH, retried)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("SimpleRetryInterceptor");
        }
        Object detached = behindProxies(new StartCheckTest.Detached(), new AsyncAnnotationAdvisor().getAdvice());
        try (Scene scene = new Scene()) {
            assertThatThrownBy(() -> scene.start(scene.container(AckMode.BATCH, detached)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Detached.onMessage is @Async");
        }
    }
}
