package io.dedup.spring.boot.internal.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.id.MessageIdExtractor;
import io.dedup.spring.boot.internal.id.IdExpression;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.GenericMessage;

/** Where a flow's message ID may be. */
class FlowMessageIdsTest {
    private final FlowMessageIds ids = new FlowMessageIds(name -> (MessageIdExtractor<Message<?>>)
            message -> name.equals("own") ? "m-" + message.getHeaders().getId() : "m-1");

    private final Message<?> message = new GenericMessage<>(
            Map.of("id", "o-1"),
            Map.of(
                    "text", CharBuffer.wrap("h-1"),
                    "bytes", "h-1".getBytes(StandardCharsets.UTF_8),
                    "number", (short) 7,
                    "list", List.of("id")));

    private @Nullable String id(String expression) {
        return ids.of(IdExpression.parse(expression)).extract(message);
    }

    @ParameterizedTest
    @CsvSource({
        "header:text, h-1",
        "header:bytes, h-1",
        "header:number, 7",
        "spel:payload['id'], o-1",
        "spel:payload[id], o-1",
        "spel:headers['text'], h-1",
        "spel:headers.get('text') + payload['id'], 3:h-13:o-1",
        "spel:headers['number'] + '/' + payload['id'], 7/o-1",
        "spel:headers['none'] + '/' + payload['id'],",
        "spel:headers['list'][0], id",
        "bean:other, m-1",
        "header:none,",
    })
    void finds(String expression, @Nullable String id) {
        assertThat(id(expression)).isEqualTo(id);
    }

    @ParameterizedTest
    @DisplayName("A3 Spring's id and timestamp are new for each Message object")
    @ValueSource(
            strings = {
                "header:id",
                "header:timestamp",
                "header:text + header:id",
                "spel:headers.id",
                "spel:headers['id']",
                "spel:headers[id].toString()",
                "spel:headers.get('id')",
                "spel:headers.getId()",
                "spel:headers?.timestamp",
                "spel:getHeaders().getTimestamp()",
                "spel:#root.headers.id",
                "spel:payload.id + #this.headers['timestamp']",
                "spel:payload.?[headers == null || #root.headers.id != null].size()",
            })
    void refusesSpringsOwn(String expression) {
        assertThatThrownBy(() -> ids.of(IdExpression.parse(expression)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is new for each Message object of Spring");
    }

    @ParameterizedTest
    @DisplayName("A3 where only the ID itself shows that it is Spring's, it counts as missing")
    @ValueSource(strings = {"bean:own", "spel:headers.entrySet().?[key == 'id'][0].value"})
    void countsAsMissing(String expression) {
        assertThatThrownBy(() -> id(expression))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is new for each Message object of Spring");
    }

    @ParameterizedTest
    @ValueSource(strings = {"spel:'x'", "spel:T(String).valueOf(payload)", "spel:new String(payload)"})
    void refusesWhatIsNone(String expression) {
        assertThatThrownBy(() -> ids.of(IdExpression.parse(expression))).isInstanceOf(IllegalArgumentException.class);
    }
}
