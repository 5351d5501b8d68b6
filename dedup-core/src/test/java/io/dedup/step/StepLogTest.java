package io.dedup.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dedup.step.KeptStep.Kind;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StepLogTest {
    private static final Instant NOW = Instant.parse("2026-03-01T08:30:00.123Z");

    private static byte[] log(KeptStep... steps) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (KeptStep step : steps) {
            bytes.writeBytes(StepLog.entry(step));
        }
        return bytes.toByteArray();
    }

    @Test
    void asItWasKept() {
        String longest = "ü".repeat(50);
        Map<String, KeptStep> steps = StepLog.decode(log(
                KeptStep.of("charge", NOW, new byte[] {1, 0, -1}),
                KeptStep.without("mail", NOW, Kind.NONE, -1),
                KeptStep.without(longest, NOW, Kind.LEFT_OUT, 70_000),
                KeptStep.of("empty", NOW, new byte[0])));

        assertThat(steps.keySet()).containsExactly("charge", "mail", longest, "empty");
        assertThat(steps.get("charge").result()).containsExactly(1, 0, -1);
        assertThat(steps.get("charge").keptAt()).isEqualTo(NOW);
        assertThat(steps.get("mail").kind()).isEqualTo(Kind.NONE);
        assertThat(steps.get(longest).size()).isEqualTo(70_000);
        assertThat(steps.get("empty").result()).isEmpty();
        assertThat(StepLog.decode(null)).isEmpty();
    }

    @Test
    @DisplayName("the later of two entries counts, in the place of the first")
    void repeated() {
        Map<String, KeptStep> steps = StepLog.decode(log(
                KeptStep.of("a", NOW, new byte[] {1}),
                KeptStep.of("b", NOW, new byte[0]),
                KeptStep.of("a", NOW, new byte[] {2})));

        assertThat(steps.keySet()).containsExactly("a", "b");
        assertThat(steps.get("a").result()).containsExactly(2);
    }

    @Test
    @DisplayName("an entry is never larger than its result and what is reserved for the rest")
    void size() {
        byte[] entry = StepLog.entry(KeptStep.of("n".repeat(StepLog.MAX_NAME_BYTES), NOW, new byte[10]));

        assertThat(entry).hasSize(StepLog.MAX_EXTRA_BYTES + 10);
    }

    @Test
    @DisplayName("bytes that are cut off, changed or of a newer version are refused")
    void damaged() {
        byte[] log = log(KeptStep.of("charge", NOW, new byte[] {1, 2, 3}));
        for (int length = 1; length < log.length; length++) {
            byte[] cut = Arrays.copyOf(log, length);
            assertThatIllegalArgumentException().isThrownBy(() -> StepLog.decode(cut));
        }
        Random random = new Random(1);
        for (int i = 0; i < 2_000; i++) {
            byte[] changed = log.clone();
            changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            try {
                assertThat(StepLog.decode(changed)).isNotEmpty();
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageContaining("the kept steps");
            }
        }
    }
}
