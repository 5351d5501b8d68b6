package io.dedup.spring.boot.internal.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.id.MessageIdExtractor;
import io.dedup.spring.boot.internal.id.IdExpression.Kind;
import io.dedup.spring.boot.internal.id.IdExpression.Part;
import io.dedup.spring.boot.internal.kafka.KafkaIds;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IdExpressionTest {
    private final KafkaIds ids = new KafkaIds(
            name -> {
                if (name.equals("mine")) {
                    return (MessageIdExtractor<ConsumerRecord<?, ?>>) record -> "from a bean";
                }
                throw new IllegalArgumentException("there is no bean " + name);
            },
            null);

    record Order(String orderId, int line) {}

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            header:order-id                        | h-1
            key                                    | k-1
            json:/order/id                         | 42
            coordinates                            | orders-3-7@-1-1464afcd2db939a1
            spel:key + '/' + header('order-id')    | k-1/h-1
            spel:offset + '@' + timestamp          | 7@-1
            bean:mine                              | from a bean
            header:order-id + json:/order/id       | 3:h-12:42
            key + spel:value.substring(0, 1) + key | 3:k-18:1:{3:k-1
            key + spel:partition + offset          | 3:k-16:1:31:7
            """)
    void findsIds(String expression, String id) {
        assertThat(ids.of(IdExpression.parse(expression)).extract(record("{\"order\":{\"id\":42}}")))
                .isEqualTo(id);
    }

    @Test
    void anExpressionReadsObjectsAndRecords() {
        assertThat(ids.of(IdExpression.parse("spel:value.orderId() + '-' + value.line()"))
                        .extract(record(new Order("o-9", 2))))
                .isEqualTo("o-9-2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "T(java.lang.System).getProperty('java.version')",
                "new String(value)",
                "header(new String('a'))",
                "key + @bean.id",
                "value.?[new String(#this) != 'a'].toString()"
            })
    void anExpressionNamesNoClassesOrBeans(String expression) {
        assertThatThrownBy(() -> ids.of(IdExpression.parse("spel:" + expression)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot use a class or a bean");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'x'",
                "'x'.toUpperCase()",
                "1 + 2",
                "topic",
                "topic + '-' + partition",
                "getTopic()",
                "#root.topic",
                "this.topic",
                "{1, 2}.?[#this > 1].size()",
                "{'a', 'b'}.![length()].size()"
            })
    void anExpressionWithOneIdForManyMessagesIsRefused(String expression) {
        String root = expression.replace("this.", "#this.");
        assertThatThrownBy(() -> ids.of(IdExpression.parse("spel:" + root)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("all but the first would be skipped");
    }

    @ParameterizedTest
    @ValueSource(strings = {"payload.id", "header(order-id)", "#order.id", "toString()", "hashCode()", "'a' + payload"})
    void anExpressionUsesWhatAMessageHas(String expression) {
        assertThatThrownBy(() -> ids.of(IdExpression.parse("spel:" + expression)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("which a message doesn't have")
                .hasMessageContaining("header, key, offset, partition, timestamp, topic, value");
    }

    @Test
    void anExpressionChangesNothing() {
        assertThatThrownBy(() -> ids.of(IdExpression.parse("spel:value = 'a'")))
                .hasMessageContaining("cannot change it");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            #root.key                           | k-1
            #this.header('order-id')            | h-1
            header('none') ?: key               | k-1
            value['id']                         | o-9
            value[id]                           | o-9
            value?.get('id')                    | o-9
            topic + offset                      | 6:orders1:7
            value.keySet().?[#this == 'id'][0]  | id
            value.values().![#this.toString()].get(0) | o-9
            {value['id'], 'x'}[0]               | o-9
            """)
    void anExpressionFindsWhatDiffers(String expression, String id) {
        assertThat(ids.of(IdExpression.parse("spel:" + expression)).extract(record(Map.of("id", "o-9"))))
                .isEqualTo(id);
    }

    @Test
    void textIsAnIdWhateverItsClass() {
        for (String expression : List.of("spel:value", "spel:value.subSequence(0, 3)")) {
            assertThat(ids.of(IdExpression.parse(expression)).extract(record(CharBuffer.wrap("o-9")))) // as Avro's Utf8
                    .isEqualTo("o-9");
        }
    }

    @Test
    void anExpressionFindsTextOrNothing() {
        assertThat(ids.of(IdExpression.parse("spel:header('none')")).extract(record("v")))
                .isNull();
        assertThatThrownBy(() -> ids.of(IdExpression.parse("spel:#root")).extract(record("v")))
                .hasMessageContaining("has no unambiguous text");
    }

    @ParameterizedTest
    @DisplayName("T7 an ID is missing if a part of its expression is, and errors name that part")
    @ValueSource(
            strings = {
                "spel:key + '/' + header('none')",
                "spel:header('none') + key",
                "spel:key + '/' + value",
                "key + spel:'n' + value"
            })
    void missingPart(String expression) {
        for (Object value : new Object[] {null, "", " "}) {
            ConsumerRecord<?, ?> record = record(value);
            var id = ids.of(IdExpression.parse(expression));
            assertThat(id.extract(record)).isNull();
            assertThat(id.source(record))
                    .isEqualTo("value for spel:" + (expression.contains("none") ? "header('none')" : "value"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "heder:x",
                "header:",
                "header",
                "key:x",
                "json",
                "json:/a +",
                "spel:",
                "bean:",
                "+ key",
                "bean:b +\n + key"
            })
    void refusesWhatIsNone(String expression) {
        assertThatThrownBy(() -> IdExpression.parse(expression))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("header:<name>, key, json:/<pointer>");
    }

    @ParameterizedTest
    @CsvSource({
        "property:p,'For Kafka, use header:p'",
        "keys,'For Kafka, use header'",
        "json:no,a JSON Pointer must begin with",
        "bean:other,there is no bean other",
        "spel:'half,spel: "
    })
    void refusesWhatIsNotForKafka(String expression, String why) {
        assertThatThrownBy(() -> ids.of(IdExpression.parse(expression))).hasMessageContaining(why);
    }

    @Test
    void anExpressionMayHoldTheJoin() {
        assertThat(IdExpression.parse("key + spel:key + 'x' + key").parts())
                .isEqualTo(List.of(new Part(Kind.KEY, ""), new Part(Kind.SPEL, "key + 'x' + key")));
        assertThat(IdExpression.parse("key + json:").toString()).isEqualTo("key + json:");
    }

    private static ConsumerRecord<?, ?> record(@Nullable Object value) {
        ConsumerRecord<String, @Nullable Object> record = new ConsumerRecord<>("orders", 3, 7, "k-1", value);
        record.headers().add("order-id", "h-1".getBytes(StandardCharsets.UTF_8));
        return record;
    }
}
