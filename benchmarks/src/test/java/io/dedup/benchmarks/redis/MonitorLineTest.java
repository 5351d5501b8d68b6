package io.dedup.benchmarks.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class MonitorLineTest {
    @Test
    void undoes_escapes() {
        MonitorLine line = MonitorLine.parse(
                "+1700000000.1 [0 127.0.0.1:4711] \"SET\" \"a b] \\\"c\\\\\" \"\" \"\\x00\\xff\\r\\n\\t\\a\\b\"");
        assertThat(line.byScript()).isFalse();
        assertThat(text(line)).containsExactly("SET", "a b] \"c\\", "", "\u0000\u00ff\r\n\t\u0007\b");
    }

    @Test
    void knows_what_a_script_did() {
        MonitorLine line = MonitorLine.parse("+1700000000.1 [0 lua] \"MGET\" \"k\"");
        assertThat(line.byScript()).isTrue();
        assertThat(text(line)).containsExactly("MGET", "k");
    }

    private static List<String> text(MonitorLine line) {
        return line.words().stream()
                .map(word -> new String(word, StandardCharsets.ISO_8859_1))
                .toList();
    }
}
