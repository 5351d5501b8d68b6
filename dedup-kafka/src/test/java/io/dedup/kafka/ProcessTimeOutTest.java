package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupStoreException;
import io.dedup.adapter.DedupAdapter;
import io.dedup.doubles.WatchedStore;
import io.dedup.policy.OnStoreFailure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;

/**
 * PROCESS, and a store whose calls hang and then fail: a poll must not outlast {@code max.poll.interval.ms}, or all its messages
 * run again.
 */
class ProcessTimeOutTest {
    private static final int MESSAGES = 40;
    private static final long TIME_OUT_MILLIS = 300;
    private static final int MAX_POLL_INTERVAL_MILLIS = 5_000;

    private final CountDownLatch never = new CountDownLatch(1);
    private final AtomicBoolean hangs = new AtomicBoolean(true);
    private final WatchedStore watched = new WatchedStore(Scene.memory());

    private void hang(List<String> operations) {
        for (String operation : operations) {
            watched.before(operation, () -> {
                if (hangs.get()) {
                    awaitTimeOut();
                    throw new DedupStoreException("no answer within " + TIME_OUT_MILLIS + " ms", null);
                }
            });
        }
    }

    private void awaitTimeOut() {
        try {
            boolean unused = never.await(TIME_OUT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Object listener(Scene scene, AckMode mode, boolean batch) {
        boolean manual = mode == AckMode.MANUAL || mode == AckMode.MANUAL_IMMEDIATE;
        if (batch) {
            return manual
                    ? (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                        records.forEach(scene.effect());
                        ack.acknowledge();
                    }
                    : (BatchMessageListener<String, String>) records -> records.forEach(scene.effect());
        }
        return manual
                ? (AcknowledgingMessageListener<String, String>) (record, ack) -> {
                    scene.effect().accept(record);
                    ack.acknowledge();
                }
                : (MessageListener<String, String>) scene.effect()::accept;
    }

    @ParameterizedTest(name = "{0} batch={1} ahead={2}, {3}")
    @CsvSource({
        "BATCH,false,true,claims",
        "BATCH,false,false,claims",
        "BATCH,true,false,claims",
        "RECORD,false,true,claims",
        "MANUAL,false,true,claims",
        "MANUAL_IMMEDIATE,false,false,claims",
        "MANUAL,true,false,claims",
        "RECORD,false,true,completions",
        "RECORD,false,false,completions",
        "BATCH,true,false,completions",
        "MANUAL_IMMEDIATE,false,true,completions"
    })
    @DisplayName(
            "PROCESS: with a store that times out every message runs once, within max.poll.interval.ms, and is committed")
    void everyMessageOnce(AckMode mode, boolean batch, boolean ahead, String what) {
        try (Scene scene = new Scene(
                watched.store,
                1,
                policy -> policy.lease(Duration.ofSeconds(30)).onStoreFailure(OnStoreFailure.PROCESS))) {
            scene.closeLater(() -> hangs.set(false));
            scene.claimAhead(ahead);
            hang(List.of("complete", "release", "ping"));
            if (what.equals("claims")) {
                hang(List.of("claim"));
            }
            String[] ids = IntStream.range(0, MESSAGES).mapToObj(i -> "id" + i).toArray(String[]::new);
            scene.send(ids);

            scene.start(scene.container(
                    scene.properties(mode, listener(scene, mode, batch)),
                    Map.of("max.poll.interval.ms", MAX_POLL_INTERVAL_MILLIS, "max.poll.records", 500)));

            scene.awaitCommitted(MESSAGES);
            assertThat(scene.effects).containsExactly(ids);
            hangs.set(false);
            await().until(() -> DedupAdapter.of(scene.dedup).pendingCompletions() == 0);
            scene.send("guarded-1", "guarded-2", "id1");
            scene.awaitCommitted(MESSAGES + 3);
            assertThat(scene.effects).doesNotHaveDuplicates().hasSize(MESSAGES + 2);
        }
    }
}
