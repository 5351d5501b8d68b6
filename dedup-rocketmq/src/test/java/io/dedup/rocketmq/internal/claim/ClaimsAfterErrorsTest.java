package io.dedup.rocketmq.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.dedup.Deduplicator;
import io.dedup.adapter.BatchAdmission;
import io.dedup.adapter.ConsumerGroup;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.inplace.InPlaceRunner;
import io.dedup.engine.Deduplicators;
import io.dedup.rocketmq.PlayedBroker;
import io.dedup.rocketmq.internal.ack.Acknowledgments;
import io.dedup.rocketmq.internal.ack.RetryDelay;
import io.dedup.rocketmq.internal.broker.BrokerRequests;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import io.dedup.rocketmq.internal.thread.LoopThreads;
import io.dedup.store.memory.InMemoryDedupStore;
import java.io.Serial;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** An Error where it cannot even be logged costs an attempt at most: nothing waits for ever. */
class ClaimsAfterErrorsTest {
    private final InMemoryDedupStore store = new InMemoryDedupStore();
    private final Deduplicator dedup =
            Deduplicators.builder(store).consumer("payments").build();
    private final AtomicInteger pings = new AtomicInteger();
    private final DedupAdapter engine = failingOnce(DedupAdapter.of(dedup));
    private final LoopThreads threads = new LoopThreads(1);
    private final OpenMessages open = new OpenMessages(4, 1);
    private final PlayedBroker broker = new PlayedBroker();
    private final Acknowledgments acknowledgments = new Acknowledgments(
            open,
            new BrokerRequests(broker.consumer()),
            new RetryDelay(attempt -> Duration.ofSeconds(1)),
            PlayedBroker.INVISIBLE,
            message -> {},
            () -> {});

    /** No memory: neither for the work nor for its line in the log. */
    private static final class NoMemory extends OutOfMemoryError {
        @Serial
        private static final long serialVersionUID = 1L;

        private boolean read;

        @Override
        public synchronized String getMessage() {
            if (!read) {
                read = true;
                throw new OutOfMemoryError("of the test, for the log");
            }
            return "of the test";
        }
    }

    /** Claims one by one; the first ping and the claim of "a" fail. */
    private DedupAdapter failingOnce(DedupAdapter real) {
        return (DedupAdapter) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DedupAdapter.class}, (self, method, arguments) -> {
                    switch (method.getName()) {
                        case "ping" -> {
                            if (pings.incrementAndGet() == 1) {
                                throw new NoMemory();
                            }
                        }
                        case "admitAll" -> {
                            return new BatchAdmission(List.of(), true);
                        }
                        case "admit" -> {
                            if (dedup.key("orders", "a").equals(((Delivery) arguments[0]).key())) {
                                throw new NoMemory();
                            }
                        }
                        default -> {}
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @AfterEach
    void close() {
        threads.end();
        dedup.close();
        store.close();
    }

    @Test
    @DisplayName("a store that has failed is probed on, although a probe has met an Error")
    void probe() {
        Logger log = (Logger) LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");
        Level before = log.getLevel();
        log.setLevel(Level.DEBUG);
        try {
            open.storeFailed(message("a"));
            new StoreProbe(engine, open, threads).start();
            assertThat(CompletableFuture.supplyAsync(open::awaitRoom))
                    .succeedsWithin(Duration.ofMinutes(1))
                    .isEqualTo(4);
        } finally {
            log.setLevel(before);
        }
        assertThat(pings).hasValue(2);
    }

    @Test
    @DisplayName("of messages that are claimed one by one, an Error returns one, and the others are handled")
    void oneByOne() {
        MessageClaims claims = new MessageClaims(
                engine,
                new ConsumerGroup("group", engine),
                new InPlaceRunner(engine, null, Duration.ZERO),
                open,
                acknowledgments,
                threads,
                acknowledgments::acknowledge,
                acknowledgments::acknowledge);
        List<OpenMessage> received = List.of(message("a"), message("b"));
        claims.claim(open.add(received).orElseThrow(), received);

        await().untilAsserted(() -> assertThat(broker.orders).containsExactly("back a PT1S", "ack b"));
    }

    private OpenMessage message(String id) {
        return new OpenMessage(
                PlayedBroker.message(id, id, null), Delivery.of(dedup.topic("orders"), id, null, () -> "the message"));
    }
}
