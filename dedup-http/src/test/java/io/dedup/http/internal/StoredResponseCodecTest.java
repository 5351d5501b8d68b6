package io.dedup.http.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StoredResponseCodecTest {
    private static final StoredResponse RESPONSE = new StoredResponse(
            201,
            false,
            false,
            null,
            "text/plain;charset=UTF-8",
            Map.of("Location", List.of("/payments/1"), "Link", List.of("a", "b")),
            "done \u20ac".getBytes(StandardCharsets.UTF_8));

    private final StoredResponseCodec codec = new StoredResponseCodec();

    @Test
    void roundTrip() {
        assertThat(codec.decode(codec.encode(RESPONSE)))
                .usingRecursiveComparison()
                .isEqualTo(RESPONSE);
        StoredResponse error = new StoredResponse(404, true, true, "planned", null, Map.of(), new byte[0]);
        assertThat(codec.decode(codec.encode(error))).usingRecursiveComparison().isEqualTo(error);
    }

    @Test
    void theResultOfAListenerIsNoResponse() {
        assertThatThrownBy(() -> codec.decode("{\"booked\":true}".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** What is in a store isn't trusted: bytes are a response or an exception, and never large texts out of nothing. */
    @Test
    void damagedBytes() {
        Random random = new Random(7);
        byte[] right = codec.encode(RESPONSE);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] wrong = Arrays.copyOf(right, random.nextInt(right.length) + 1);
            for (int j = random.nextInt(4); j >= 0; j--) {
                wrong[random.nextInt(wrong.length)] = (byte) random.nextInt();
            }
            try {
                assertThat(codec.decode(wrong).status()).isBetween(200, 599);
            } catch (RuntimeException e) {
                refused++;
            }
        }
        assertThat(refused).isPositive();
    }
}
