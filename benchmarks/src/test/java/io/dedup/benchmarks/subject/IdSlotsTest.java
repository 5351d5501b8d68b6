package io.dedup.benchmarks.subject;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.benchmarks.measure.Ids;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class IdSlotsTest {
    private final List<String> captured = List.of(Ids.text(1), Ids.text(2));
    private final List<String> others = List.of(Ids.text(3), Ids.text(4));
    private final IdSlots slots = new IdSlots(captured);

    @Test
    void puts_the_id_of_the_same_message_in_place() {
        IdSlots.Slot slot = slots.find(ascii("key:" + captured.get(1) + ":end"));
        assertThat(slot.holdsId()).isTrue();
        assertThat(slot.text(others)).isEqualTo("key:" + others.get(1) + ":end");
        assertThat(slot.text(captured)).isEqualTo("key:" + captured.get(1) + ":end");
    }

    @Test
    void leaves_the_rest_alone() {
        IdSlots.Slot slot = slots.find(ascii("30000"));
        assertThat(slot.holdsId()).isFalse();
        assertThat(slot.text(others)).isEqualTo("30000");
    }

    @Test
    void finds_ids_in_hexadecimal() {
        String text = "VALUES (X'%s', 5), (X'%s', 5)";
        IdSlots.HexSlots found = slots.findHex(text.formatted(hex(captured.get(1)), hex(captured.get(0))));
        assertThat(found.text(others)).isEqualTo(text.formatted(hex(others.get(1)), hex(others.get(0))));
        assertThat(slots.findHex("VALUES (5)").text(others)).isEqualTo("VALUES (5)");
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(ascii(text));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
