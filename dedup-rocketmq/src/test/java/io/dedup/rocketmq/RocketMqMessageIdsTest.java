package io.dedup.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.id.MessageIdExtractor;
import java.util.List;
import java.util.Map;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RocketMqMessageIdsTest {
    private static MessageView message(Map<String, String> properties, List<String> keys, String body) {
        return new PlayedMessage("orders", properties, keys, body);
    }

    private static @Nullable String id(MessageIdExtractor<? super MessageView> extractor, MessageView message)
            throws Exception {
        return extractor.extract(message);
    }

    @Test
    @DisplayName("a property: its value as it is, or none")
    void property() throws Exception {
        var extractor = RocketMqMessageIds.property("order");
        assertThat(id(extractor, message(Map.of("order", " A1 "), List.of(), "")))
                .isEqualTo(" A1 ");
        assertThat(id(extractor, message(Map.of("Order", "A1"), List.of(), ""))).isNull();
        assertThatThrownBy(() -> RocketMqMessageIds.property(" ")).hasMessageContaining("must not be blank");
    }

    @Test
    @DisplayName("R7 the key: the only one, none, or an error that tells what to use instead")
    void key() throws Exception {
        var extractor = RocketMqMessageIds.key();
        assertThat(id(extractor, message(Map.of(), List.of("k"), ""))).isEqualTo("k");
        assertThat(id(extractor, message(Map.of(), List.of(), ""))).isNull();
        assertThatThrownBy(() -> id(extractor, message(Map.of(), List.of("k", "l"), "")))
                .hasMessageContaining("2 keys")
                .hasMessageContaining("keyStartingWith");
    }

    @Test
    @DisplayName("R7 a key by its prefix: exactly one may have it")
    void keyStartingWith() throws Exception {
        var extractor = RocketMqMessageIds.keyStartingWith("order:");
        assertThat(id(extractor, message(Map.of(), List.of("user:7", "order:1"), "")))
                .isEqualTo("order:1");
        assertThat(id(extractor, message(Map.of(), List.of("order:1", "order:1"), "")))
                .isEqualTo("order:1");
        assertThat(id(extractor, message(Map.of(), List.of("user:7"), ""))).isNull();
        assertThatThrownBy(() -> id(extractor, message(Map.of(), List.of("order:1", "order:2"), "")))
                .hasMessageContaining("several keys");
        assertThatThrownBy(() -> RocketMqMessageIds.keyStartingWith("")).hasMessageContaining("must not be empty");
    }

    @Test
    @DisplayName("the message ID, and composites that cannot be confused")
    void messageIdAndComposite() throws Exception {
        assertThat(id(RocketMqMessageIds.messageId(), message(Map.of(), List.of(), "")))
                .isEqualTo("played");
        var composite = MessageIdExtractor.composite(
                List.of(RocketMqMessageIds.property("a"), RocketMqMessageIds.property("b")));
        assertThat(id(composite, message(Map.of("a", "ab", "b", "c"), List.of(), "")))
                .isNotEqualTo(id(composite, message(Map.of("a", "a", "b", "bc"), List.of(), "")));
    }

    @Test
    @DisplayName("a place in a JSON body; reading leaves the body as it is")
    void json() throws Exception {
        var extractor = RocketMqMessageIds.json("/payment/id");
        MessageView message = message(Map.of(), List.of(), "{\"payment\":{\"id\":\"p1\"}}");
        assertThat(id(extractor, message)).isEqualTo("p1");
        assertThat(id(extractor, message)).isEqualTo("p1");
        assertThat(id(extractor, message(Map.of(), List.of(), "{\"payment\":{}}")))
                .isNull();
        assertThatThrownBy(() -> id(extractor, message(Map.of(), List.of(), "{\"payment\":")))
                .isInstanceOf(Exception.class);
        assertThatThrownBy(() -> RocketMqMessageIds.json("payment/id")).isInstanceOf(IllegalArgumentException.class);
    }
}
