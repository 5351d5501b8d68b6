package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** Each row of the support table names a test that there is. */
class SupportTableTest {
    private static final Pattern TEST = Pattern.compile("`(\\w+)#(\\w+)`\\s*\\|$");

    @Tag(SpringKafkaLine.TAG_4) // loads the tests of share groups
    @Test
    @DisplayName("each row of docs/kafka-listener-support.md ends with a test of this module")
    void namesTests() throws IOException {
        List<String> wrong = new ArrayList<>();
        int rows = 0;
        for (String line : Files.readAllLines(Path.of("../docs/kafka-listener-support.md"))) {
            String row = line.strip();
            if (!row.startsWith("|") || row.startsWith("|---") || row.endsWith("| test |")) {
                continue;
            }
            rows++;
            Matcher test = TEST.matcher(row);
            if (!test.find() || !exists(test.group(1), test.group(2))) {
                wrong.add(row);
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(rows).isGreaterThan(10);
    }

    private static boolean exists(String type, String name) {
        try {
            return Arrays.stream(Class.forName("io.dedup.kafka." + type).getDeclaredMethods())
                    .filter(method -> method.getName().equals(name))
                    .anyMatch(SupportTableTest::isTest);
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static boolean isTest(Method method) {
        return method.isAnnotationPresent(Test.class) || method.isAnnotationPresent(ParameterizedTest.class);
    }
}
