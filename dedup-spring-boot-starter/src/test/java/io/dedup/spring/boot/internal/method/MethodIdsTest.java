package io.dedup.spring.boot.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.id.MessageIdExtractor;
import io.dedup.spring.boot.internal.id.IdExpression;
import java.lang.reflect.Method;
import java.nio.CharBuffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.support.GenericMessage;

/** Where the message ID of a method's call may be. */
class MethodIdsTest {
    record Order(CharSequence id) {}

    static void handle(
            Message<Order> message,
            MessageHeaders headers,
            @Headers Map<String, Object> all,
            @Header("id") String id,
            @Header(name = "timestamp") long sent,
            @Header("orderId") String order) {}

    private static final Method METHOD = handle();
    private final MethodIds ids = new MethodIds(
            name -> (MessageIdExtractor<List<Object>>) arguments -> ((MessageHeaders) arguments.get(1)).getId() + "/x");

    private static Method handle() {
        for (Method method : MethodIdsTest.class.getDeclaredMethods()) {
            if (method.getName().equals("handle") && method.getParameterCount() > 0) {
                return method;
            }
        }
        throw new AssertionError();
    }

    private @Nullable String id(String expression) {
        Message<Order> message = new GenericMessage<>(new Order(CharBuffer.wrap("o-1")), Map.of("orderId", "h-1"));
        MessageHeaders headers = message.getHeaders();
        return ids.of(IdExpression.parse(expression), METHOD)
                .extract(List.of(message, headers, headers, String.valueOf(headers.getId()), 1L, "h-1"));
    }

    @Test
    void finds() {
        assertThat(id("#message.payload.id")).isEqualTo("o-1"); // text of another class than String
        assertThat(id("#p0.headers[orderId]")).isEqualTo("h-1");
        assertThat(id("#headers['orderId'] + #order")).isEqualTo("h-1h-1");
    }

    @ParameterizedTest
    @DisplayName("A3 Spring's id and timestamp are new for each Message object")
    @ValueSource(
            strings = {
                "#message.headers.id",
                "#p0.headers['id']",
                "#message.getHeaders().getTimestamp()",
                "#headers.id",
                "#headers.get('timestamp')",
                "#all['id']",
                "#all[id]",
                "#id",
                "#p3.toString()",
                "#order + #sent",
            })
    void refusesSpringsOwn(String expression) {
        assertThatThrownBy(() -> ids.of(IdExpression.parse(expression), METHOD))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is new for each Message object of Spring");
    }

    @Test
    @DisplayName("A3 where only the ID itself shows that it is Spring's, it counts as missing")
    void countsAsMissing() {
        for (String expression : List.of("bean:own", "#all.values().?[#this.toString().length() == 36][0]")) {
            assertThatThrownBy(() -> id(expression))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is new for each Message object of Spring");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"#order + new String('x')", "T(String).valueOf(#order)", "#order + payload", "#p0 + #root"})
    void refusesWhatIsNone(String expression) {
        assertThatThrownBy(() -> ids.of(IdExpression.parse(expression), METHOD))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
