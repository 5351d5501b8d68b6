package io.dedup.kafka.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SupportTableTest {
    private static final Pattern TEST = Pattern.compile("`(\\w+Test)#(\\w+)`");

    @ParameterizedTest
    @ValueSource(strings = {"recipes/plain-kafka-consumer.md", "zh-CN/plain-kafka-consumer.md"})
    @DisplayName("each row of the page names a test that exists")
    void testsExist(String page) throws Exception {
        List<MatchResult> named = TEST.matcher(Files.readString(Path.of("../docs", page)))
                .results()
                .toList();
        assertThat(named).hasSizeGreaterThan(10);
        for (MatchResult each : named) {
            Class<?> type = Class.forName(getClass().getPackageName() + "." + each.group(1));
            assertThat(Stream.of(type.getDeclaredMethods()).map(java.lang.reflect.Method::getName))
                    .as(each.group())
                    .contains(each.group(2));
        }
    }
}
