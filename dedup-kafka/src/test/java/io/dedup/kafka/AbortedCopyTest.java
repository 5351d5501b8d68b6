package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupStoreException;
import io.dedup.doubles.WatchedStore;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;

/** D10 K10: what a Kafka transaction takes back isn't known as handled, so that copies of the same poll aren't its duplicates. */
class AbortedCopyTest {
    private final WatchedStore watched = new WatchedStore(Scene.memory());
    private final AtomicBoolean writesFail = new AtomicBoolean();

    @ParameterizedTest(name = "batch={0} writesFail={1} unknown={2}")
    @CsvSource({"false,false,false", "true,true,false", "false,true,true"})
    @DisplayName("D10 K10 copies in the poll of a transaction that is aborted: exactly one output is committed")
    void copies(boolean batch, boolean fails, boolean unknown) {
        try (Scene scene = new Scene(watched.store, 1, policy -> policy.lease(Duration.ofSeconds(1)))) {
            scene.closeLater(() -> writesFail.set(false));
            Transactions transactions = new Transactions(scene);
            for (String operation : new String[] {"complete", "release", "renew"}) {
                watched.before(operation, () -> {
                    if (writesFail.get()) {
                        throw new DedupStoreException("down", null);
                    }
                });
            }
            AtomicBoolean aborted = new AtomicBoolean();
            transactions.next.set(producer -> {
                writesFail.set(fails);
                aborted.set(true);
                if (unknown) {
                    throw new TimeoutException("no connection");
                }
                throw new KafkaException("what was sent cannot be committed");
            });
            scene.send("a", "a", "b", "a");
            Object listener = batch
                    ? (BatchMessageListener<String, String>) records -> records.forEach(transactions::handle)
                    : (MessageListener<String, String>) transactions::handle;
            scene.start(transactions.container(AckMode.BATCH, listener));
            await().untilTrue(aborted);
            if (unknown) {
                transactions.fence(1);
            }
            scene.send("a", "c");
            transactions.awaitOutputs("a", "b", "c");
            scene.awaitCommitted(6);
            writesFail.set(false);
            scene.send("a", "b", "c", "d");
            transactions.awaitOutputs("a", "b", "c", "d");
            await().untilAsserted(() -> {
                for (String id : new String[] {"a", "b", "c", "d"}) {
                    assertThat(watched.store
                                    .find(scene.dedup.key(scene.topic, id))
                                    .map(StoredRecord::state))
                            .as(id)
                            .contains(State.DONE);
                }
            });
            transactions.awaitOutputs("a", "b", "c", "d");
        }
    }
}
