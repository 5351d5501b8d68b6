package io.dedup.spring.boot.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.id.MessageIdExtractor;
import io.dedup.id.UnusableIdException;
import io.dedup.spring.boot.internal.id.IdExpression;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.expression.EvaluationException;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.util.ReflectionUtils;

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
        assertThat(id("#headers['orderId'] + #order")).isEqualTo("3:h-13:h-1");
    }

    static void book(@Nullable Object tenant, @Nullable Object number) {}

    /** Of a call of a method with the arguments {@code #tenant} and {@code #number}. */
    private @Nullable String idOf(String expression, @Nullable Object tenant, @Nullable Object number) {
        return extractor(expression).extract(Arrays.asList(tenant, number));
    }

    private MessageIdExtractor<? super List<@Nullable Object>> extractor(String expression) {
        Method book = ReflectionUtils.findMethod(MethodIdsTest.class, "book", Object.class, Object.class);
        return ids.of(IdExpression.parse("spel:" + expression), Objects.requireNonNull(book));
    }

    @Test
    @DisplayName("T7 parts that a text separates are joined as they are written")
    void separated() {
        assertThat(idOf("#tenant + '/' + #number", "acme", 7L)).isEqualTo("acme/7");
        assertThat(idOf("'o-' + #tenant + '/' + 'n' + #number + '!'", "acme", 7))
                .isEqualTo("o-acme/n7!");
        assertThat(idOf("#tenant + '/' + #number", "acme/1", 2)).isEqualTo("acme/1/2");
        assertThat(idOf("#tenant + '/' + #number", "acme", "1/2")).isEqualTo("parts:/4:acme3:1/2");
        assertThat(idOf("#tenant + '/' + #number", RetentionPolicy.SOURCE, "ü".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo("SOURCE/ü");
    }

    @Test
    @DisplayName("T7 parts without a text between them are a composite ID, as those of other forms")
    void adjacent() {
        assertThat(idOf("#tenant + #number", "ab", "c")).isEqualTo("2:ab1:c");
        assertThat(idOf("#tenant + ('' + #number)", "a", "bc")).isEqualTo("1:a2:bc");
    }

    @Test
    @DisplayName("T7 + joins numbers, and doesn't add them")
    void numbers() {
        for (String expression : List.of("#tenant + #number", "#tenant + '' + #number", "(#tenant) + (+#number)")) {
            assertThat(idOf(expression, 10L, 2L)).isEqualTo("2:101:2").isNotEqualTo(idOf(expression, 11L, 1L));
        }
        assertThat(idOf("#tenant + #number + '/' + #tenant", 10L, 2L)).isEqualTo("/2:101:22:10");
    }

    @ParameterizedTest
    @DisplayName("T7 an ID is missing if a part is, whatever stands beside it, and errors name that part")
    @ValueSource(
            strings = {
                "#tenant + '/' + #number",
                "#number + '/' + #tenant",
                "'order-' + #number",
                "#number + ''",
                "#tenant + #number",
                "#number + #number",
                "#tenant + ('/' + #number)",
                "(#tenant ?: 'none') + '/' + #number",
            })
    void missingPart(String expression) {
        for (Object missing : Arrays.asList(null, "", " \t", "\uD800", new byte[0])) {
            assertThat(idOf(expression, "acme", missing)).as(expression).isNull();
            assertThat(extractor(expression).source(Arrays.asList("acme", missing)))
                    .isEqualTo("value for #number");
        }
    }

    @Test
    void anotherValueForAMissingPart() {
        assertThat(idOf("#tenant + '/' + (#number ?: 'none')", "acme", null)).isEqualTo("acme/none");
    }

    @Test
    @DisplayName("T7 a part without an unambiguous text counts as missing")
    void ambiguousPart() {
        for (Object ambiguous : List.of(1.0, new Object(), true, List.of("a"))) {
            assertThatThrownBy(() -> idOf("#tenant + '/' + #number", "acme", ambiguous))
                    .isInstanceOf(UnusableIdException.class)
                    .hasMessageContaining("the value for #number is a ")
                    .hasMessageContaining("has no unambiguous text");
        }
    }

    @ParameterizedTest
    @DisplayName("T7 parts that contain what separates or counts them are never the same ID as other parts")
    @ValueSource(
            strings = {
                "#tenant + '/' + #number",
                "#tenant + '//' + #number",
                "#tenant + '/1' + #number",
                "'/' + #tenant + '/' + #number + '/'",
                "#tenant + #number",
                "'parts:' + #tenant + '/' + #number",
                "#tenant + '/' + #number + '/' + #tenant",
                "'/' + #tenant + #number",
            })
    void hostileParts(String expression) {
        List<String> hostile = new ArrayList<>(List.of(
                "1",
                "11",
                "null",
                "6:acme/1",
                "acme",
                "parts:",
                "parts:/",
                "parts:/1:a",
                "1:1",
                "/1:/",
                "parts:/1:/1"));
        for (String one : List.of("/", "1", ":", "a")) {
            for (String two : List.of("", "/", "1", ":", "//", "/1")) {
                hostile.add(one + two);
                hostile.add(one + two + one);
            }
        }
        Map<String, List<String>> found = new HashMap<>();
        for (String tenant : Set.copyOf(hostile)) {
            for (String number : Set.copyOf(hostile)) {
                String id = Objects.requireNonNull(idOf(expression, tenant, number));
                assertThat(found.put(id, List.of(tenant, number))).as(id).isNull();
            }
        }
        for (String id : List.copyOf(found.keySet())) { // what an ID looks like may be sent as a part
            for (List<String> parts : List.of(List.of(id, "1"), List.of("1", id), List.of(id, id))) {
                List<String> before =
                        found.put(Objects.requireNonNull(idOf(expression, parts.get(0), parts.get(1))), parts);
                assertThat(before).as(id).isIn(null, parts);
            }
        }
    }

    @ParameterizedTest
    @DisplayName("T7 where + would make the text null of a missing value, or add two numbers, it is refused")
    @ValueSource(
            strings = {
                "#tenant + '/' + #number ?: '0'", // binds as (… + #number) ?: '0'
                "#tenant ?: ('x' + #number)",
                "#number == null ? #tenant + '/' : #tenant + '/' + #number",
                "(#tenant + '/' + #number).toUpperCase()",
                "#tenant.concat('/' + #number)",
                "#tenant[#number + #number]",
                "{#tenant + #number}[0]",
                "#tenant + '/' + (#number + #number) * 2",
            })
    void refusesPlusWithin(String expression) {
        assertThatThrownBy(() -> extractor(expression))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("+ may only add a number that is written there");
    }

    @Test
    void mayAddAWrittenNumber() {
        assertThat(idOf("#tenant.substring(#number + 1)", "a-7", 1)).isEqualTo("7");
        assertThat(idOf("#tenant.substring(1 + #number + 0) + '/' + #number", "a-7", 1))
                .isEqualTo("7/1");
        assertThatThrownBy(() -> idOf("#tenant.substring(#number + 1)", "a-7", null))
                .isInstanceOf(EvaluationException.class);
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
