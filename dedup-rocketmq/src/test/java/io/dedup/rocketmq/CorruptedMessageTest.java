package io.dedup.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.store.memory.InMemoryDedupStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.apache.rocketmq.client.java.message.MessageIdCodec;
import org.apache.rocketmq.client.java.message.MessageViewImpl;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** No real broker sends what doesn't match its checksum. */
class CorruptedMessageTest {
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final Queue<MessageView> toReceive = new ArrayDeque<>();

    private SimpleConsumer consumer() {
        return (SimpleConsumer) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {SimpleConsumer.class}, (proxy, method, arguments) -> {
                    return switch (method.getName()) {
                        case "getConsumerGroup" -> "group";
                        case "getSubscriptionExpressions" -> Map.of();
                        case "receive" -> {
                            MessageView next = toReceive.poll();
                            yield next == null ? List.of() : List.of(next);
                        }
                        case "ackAsync" -> {
                            calls.add("ack "
                                    + ((MessageView) arguments[0])
                                            .getProperties()
                                            .get("id"));
                            yield CompletableFuture.completedFuture(null);
                        }
                        case "changeInvisibleDurationAsync" -> {
                            calls.add("change "
                                    + ((MessageView) arguments[0])
                                            .getProperties()
                                            .get("id") + " " + arguments[1]);
                            yield CompletableFuture.completedFuture(null);
                        }
                        default -> throw new AssertionError(method);
                    };
                });
    }

    private static MessageView message(String id, boolean corrupted) {
        return new MessageViewImpl(
                MessageIdCodec.getInstance().nextMessageId(),
                "orders",
                new byte[0],
                null,
                null,
                null,
                null,
                null,
                List.of(),
                Map.of("id", id),
                "host",
                0,
                1,
                null,
                "handle",
                0,
                corrupted,
                null);
    }

    @Test
    @DisplayName("R6 a message whose body doesn't match its checksum is neither handled nor acked, and comes again")
    void corrupted() {
        toReceive.add(message("broken", true));
        toReceive.add(message("whole", false));
        List<String> effects = new CopyOnWriteArrayList<>();
        try (InMemoryDedupStore store = new InMemoryDedupStore();
                Deduplicator dedup =
                        Deduplicators.builder(store).consumer("group").build();
                SimpleConsumerLoop loop = RocketMqDedup.builder(dedup)
                        .id(RocketMqMessageIds.property("id"))
                        .build()
                        .loop(consumer(), message -> {
                            effects.add(Scene.id(message));
                            return ConsumeResult.SUCCESS;
                        })
                        .retryDelay(attempt -> Duration.ofSeconds(7))
                        .start()) {
            await().until(() -> calls.size() == 2);
            assertThat(calls).containsExactlyInAnyOrder("change broken PT7S", "ack whole");
            assertThat(effects).containsExactly("whole");
            assertThat(loop.openMessages()).isZero();
        }
    }
}
