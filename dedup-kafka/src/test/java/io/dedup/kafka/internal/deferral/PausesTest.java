package io.dedup.kafka.internal.deferral;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.dedup.DedupStoreException;
import io.dedup.Deduplicator;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.poll.PollTimer;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.internal.poll.PartitionHolds;
import io.dedup.store.DedupStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.MessageListenerContainer;

/** Pauses end, whatever comes between. Containers and stores are played: no real one can be held at these points. */
class PausesTest {
    private final PollTimer timer = new PollTimer("timer", LoggerFactory.getLogger(PausesTest.class));
    private final AtomicInteger pings = new AtomicInteger();
    private Supplier<Throwable> pingFails = () -> new DedupStoreException("down", null);
    private final Deduplicator dedup = Deduplicators.builder(store())
            .consumer("g")
            .shutdownTimeout(Duration.ZERO)
            .build();
    private final DedupAdapter engine = DedupAdapter.of(dedup);

    @AfterEach
    void close() {
        dedup.close();
        timer.close();
    }

    private DedupStore store() {
        return (DedupStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DedupStore.class}, (self, method, arguments) -> {
                    if (method.getName().equals("ping") && pings.incrementAndGet() == 1) {
                        throw pingFails.get();
                    }
                    return method.getName().equals("name") ? "played" : null;
                });
    }

    /** Remembers its pauses; {@code beforePause} comes between the decision to pause it and the pause. */
    private static final class PlayedContainer {
        final AtomicBoolean paused = new AtomicBoolean();
        final AtomicBoolean partitionPaused = new AtomicBoolean();
        volatile Runnable beforeResume = () -> {};
        final MessageListenerContainer container;

        PlayedContainer(Runnable beforePause) {
            container = (MessageListenerContainer) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {MessageListenerContainer.class},
                    (self, method, arguments) -> switch (method.getName()) {
                        case "isPauseRequested" -> paused.get();
                        case "isPartitionPauseRequested" -> partitionPaused.get();
                        case "getContainerFor" -> self;
                        case "pause", "pausePartition" -> {
                            beforePause.run();
                            (method.getName().equals("pause") ? paused : partitionPaused).set(true);
                            yield null;
                        }
                        case "resume" -> {
                            beforeResume.run();
                            paused.set(false);
                            yield null;
                        }
                        case "resumePartition" -> {
                            partitionPaused.set(false);
                            yield null;
                        }
                        case "getListenerId", "toString" -> "played";
                        case "hashCode" -> System.identityHashCode(self);
                        case "equals" -> self == arguments[0];
                        default -> throw new UnsupportedOperationException(method.getName());
                    });
        }
    }

    @Test
    @DisplayName("a container that is paused just after the store answered again doesn't stay paused")
    void answersBeforeThePause() {
        StorePauses pauses = new StorePauses(timer, engine);
        PlayedContainer first = new PlayedContainer(() -> {});
        PlayedContainer second = new PlayedContainer(() -> await().until(() -> !first.paused.get()));
        pauses.pause(first.container);
        pauses.pause(second.container);
        assertThat(pings).hasValue(2);
        await().until(() -> !second.paused.get());
    }

    @Test
    @DisplayName("a resumption that fails with an Error is repeated; others don't wait for it")
    void resumptionFails() {
        StorePauses pauses = new StorePauses(timer, engine);
        AtomicInteger attempts = new AtomicInteger();
        PlayedContainer failing = new PlayedContainer(() -> {});
        failing.beforeResume = () -> {
            if (attempts.incrementAndGet() < 3) {
                throw new OutOfMemoryError("for once");
            }
        };
        PlayedContainer other = new PlayedContainer(() -> {});
        pauses.pause(failing.container);
        pauses.pause(other.container);
        await().until(() -> !other.paused.get() && !failing.paused.get());
        assertThat(attempts).hasValue(3);
    }

    @Test
    @DisplayName(
            "a container that cannot be resumed at once when KafkaDedup is closed is resumed later, without its timer")
    void closedBeforeTheResumption() {
        StorePauses pauses = new StorePauses(timer, engine);
        AtomicInteger attempts = new AtomicInteger();
        PlayedContainer container = new PlayedContainer(() -> {});
        container.beforeResume = () -> {
            if (attempts.incrementAndGet() < 3) {
                throw new IllegalStateException("not yet");
            }
        };
        pauses.pause(container.container);
        timer.close();
        pauses.close();
        await().until(() -> !container.paused.get());
        pauses.pause(container.container);
        assertThat(container.paused).isFalse();
    }

    @Test
    @DisplayName("what is repeated goes on after an Error")
    void repeated() {
        AtomicInteger runs = new AtomicInteger();
        Future<?> repeated = timer.every(Duration.ofMillis(5), () -> {
            if (runs.incrementAndGet() < 3) {
                throw new OutOfMemoryError("for once");
            }
        });
        await().until(() -> runs.get() > 3);
        assertThat(repeated.isDone()).isFalse();
    }

    @Test
    @DisplayName("a probe that fails with an Error is repeated like any other")
    void probeFailsWithError() {
        pingFails = () -> new NoClassDefFoundError("for once");
        PlayedContainer container = new PlayedContainer(() -> {});
        new StorePauses(timer, engine).pause(container.container);
        assertThat(container.paused).isTrue();
        await().until(() -> !container.paused.get());
    }

    /** Pauses the container, and waits until a probe has resumed it. */
    private static Duration cycle(StorePauses pauses, PlayedContainer container) {
        long start = System.nanoTime();
        pauses.pause(container.container);
        await().until(() -> !container.paused.get());
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    @DisplayName("S16 a store that answers probes and fails claims is probed more and more seldom, and hardly logged")
    void flapping() {
        pings.set(1); // those that follow succeed
        AtomicLong clock = new AtomicLong();
        StorePauses pauses = new StorePauses(timer, engine, clock::get);
        PlayedContainer container = new PlayedContainer(() -> {});
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.list = new CopyOnWriteArrayList<>();
        lines.start();
        Logger logger = (Logger) LoggerFactory.getLogger(KafkaDedup.class);
        Level level = logger.getLevel();
        logger.setLevel(Level.INFO);
        logger.addAppender(lines);
        try {
            Duration all = Duration.ZERO;
            for (int i = 0; i < 4; i++) {
                all = all.plus(cycle(pauses, container));
                clock.addAndGet(Duration.ofSeconds(5).toNanos());
            }
            assertThat(all).isGreaterThanOrEqualTo(Duration.ofMillis(100 + 200 + 400 + 800));
            assertThat(loudly(lines, "pausing")).isEqualTo(1);
            assertThat(loudly(lines, "resuming")).isEqualTo(1);

            clock.addAndGet(Duration.ofSeconds(61).toNanos());
            assertThat(cycle(pauses, container))
                    .as("another outage, long after")
                    .isLessThan(Duration.ofMillis(1_600));
            assertThat(loudly(lines, "pausing")).isEqualTo(2);
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(level);
        }
    }

    private static long loudly(ListAppender<ILoggingEvent> lines, String word) {
        return lines.list.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                .filter(line -> line.getFormattedMessage().contains(word))
                .filter(line -> line.getFormattedMessage().contains("played"))
                .count();
    }

    @Test
    @DisplayName("a held partition is resumed by the consumer's own polls, which don't outlast the hold")
    void holdEnds() {
        PartitionHolds holds = new PartitionHolds();
        PlayedContainer container = new PlayedContainer(() -> {});
        Duration timeout = Duration.ofSeconds(5);
        holds.hold(container.container, new TopicPartition("t", 0), Duration.ofMillis(20), null);
        holds.endDue();
        assertThat(holds.untilNextEnd(timeout)).isLessThanOrEqualTo(Duration.ofMillis(20));
        await().until(() -> {
            holds.endDue();
            return !container.partitionPaused.get();
        });
        assertThat(holds.untilNextEnd(timeout)).isEqualTo(timeout);
    }

    @Test
    @DisplayName("a partition that is still held when its consumer ends doesn't stay paused")
    void consumerEnds() {
        PartitionHolds holds = new PartitionHolds();
        PlayedContainer container = new PlayedContainer(() -> {});
        holds.hold(container.container, new TopicPartition("t", 0), Duration.ofMinutes(1), null);
        assertThat(container.partitionPaused).isTrue();
        holds.endAll();
        assertThat(container.partitionPaused).isFalse();
    }
}
