package io.dedup.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.Deduplicator;
import io.dedup.MissingMessageIdException;
import io.dedup.adapter.Delivery;
import io.dedup.engine.Deduplicators;
import io.dedup.fuzz.Fuzz;
import io.dedup.fuzz.Hostile;
import io.dedup.id.MessageIdExtractor;
import io.dedup.rocketmq.internal.listener.MessageDeliveries;
import io.dedup.store.memory.InMemoryDedupStore;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.rocketmq.client.apis.message.MessageId;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RocketMqIdsFuzzTest {
    private static final int INPUTS = 10_000;

    private final Deduplicator dedup =
            Deduplicators.builder(new InMemoryDedupStore()).consumer("billing").build();

    /** The message's own ID is the producer's to choose, too. */
    private static MessageView message(
            Map<String, String> properties, List<String> keys, byte[] body, String messageId) {
        MessageView plain = new PlayedMessage("orders", properties, keys, "");
        MessageId id = (MessageId) Proxy.newProxyInstance(
                MessageId.class.getClassLoader(),
                new Class<?>[] {MessageId.class},
                (proxy, method, arguments) -> messageId);
        return (MessageView) Proxy.newProxyInstance(
                MessageView.class.getClassLoader(),
                new Class<?>[] {MessageView.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getMessageId" -> id;
                    case "getBody" -> ByteBuffer.wrap(body).asReadOnlyBuffer();
                    default -> method.invoke(plain, arguments);
                });
    }

    private Delivery delivery(MessageIdExtractor<? super MessageView> extractor, MessageView message) {
        MessageDeliveries deliveries = new MessageDeliveries(dedup, extractor, Map.of());
        Delivery delivery = deliveries.of(message);
        assertThat(deliveries.of(message).key()).isEqualTo(delivery.key());
        Fuzz.requireLogLine(delivery.origin().get());
        if (delivery.key() == null) {
            Fuzz.requireLogLine(String.valueOf(new MissingMessageIdException(
                            delivery.topic().scope().consumer(),
                            delivery.topic().policy(),
                            delivery.origin().get(),
                            Objects.requireNonNull(delivery.problem()))
                    .getMessage()));
        }
        return delivery;
    }

    private @Nullable DedupKey expected(@Nullable String id) {
        return DedupKey.problemWith(id) == null ? dedup.topic("orders").scope().key(id) : null;
    }

    private static String notBlank(Hostile input) {
        String text = input.anyText();
        return text.isBlank() ? "blank" : text;
    }

    @Test
    @DisplayName("properties, keys and message IDs are taken as they are, or are missing")
    void propertiesAndKeys() {
        Fuzz.check("RocketMQ properties and keys", INPUTS, input -> {
            String name = notBlank(input);
            Map<String, String> properties = new HashMap<>();
            properties.put(input.once(2) ? name : input.near(name), input.anyText());
            properties.put(input.near(name), input.anyText());
            List<String> keys = new ArrayList<>();
            int number = input.below(3);
            for (int i = 0; i < number; i++) {
                keys.add(input.anyText());
            }
            String messageId = input.anyText();
            MessageView message = message(properties, keys, new byte[0], messageId);

            assertThat(delivery(RocketMqMessageIds.property(name), message).key())
                    .isEqualTo(expected(properties.get(name)));
            assertThat(delivery(RocketMqMessageIds.key(), message).key())
                    .isEqualTo(expected(keys.size() == 1 ? keys.get(0) : null));
            assertThat(delivery(RocketMqMessageIds.messageId(), message).key()).isEqualTo(expected(messageId));
            String prefix = notBlank(input);
            List<String> found = keys.stream()
                    .filter(key -> key.startsWith(prefix))
                    .distinct()
                    .toList();
            assertThat(delivery(RocketMqMessageIds.keyStartingWith(prefix), message)
                            .key())
                    .isEqualTo(expected(found.size() == 1 ? found.get(0) : null));
        });
    }

    @Test
    @DisplayName("bodies are read as JSON or refused, and nothing else happens")
    void bodies() {
        Fuzz.check("RocketMQ bodies", INPUTS, input -> {
            byte[] json = ("{\"id\":\"" + input.text() + "\"}").getBytes(StandardCharsets.UTF_8);
            byte[] body = input.oneOf(json, input.damaged(json), input.bytes());
            Delivery unused = delivery(RocketMqMessageIds.json("/id"), message(Map.of(), List.of(), body, "played"));
        });
    }
}
