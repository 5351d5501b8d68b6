package io.dedup.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.RunReference;
import io.dedup.duplicate.MessagePlace;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StoredResultTest {
    private static final String REFERENCE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static final List<byte[]> HOSTILE = List.of(
            new byte[0],
            new byte[] {0},
            bytes("ordinary"),
            new byte[] {-1},
            new byte[] {-1, 0},
            new byte[] {-1, 0, 0},
            new byte[] {-1, 1, 0},
            new byte[] {-1, 0, 1, 'a'},
            new byte[] {-1, 1, 1, 'a', 'b'},
            new byte[] {-1, -1, -1, -1},
            new byte[] {-1, 1, (byte) 200, 'a'});

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void comesBack(byte @Nullable [] result, @Nullable String reference) {
        StoredResult decoded = StoredResult.decode(StoredResult.encode(result, reference));
        assertThat(decoded.result()).isEqualTo(result);
        assertThat(decoded.firstRun()).isEqualTo(reference);
    }

    @Test
    @DisplayName("any result comes back byte for byte, with and without a reference, and one in another")
    void comesBack() {
        for (String reference : new String[] {null, "a", REFERENCE, "~".repeat(RunReference.MAX_CHARS)}) {
            comesBack(null, reference);
            for (byte[] result : HOSTILE) {
                comesBack(result, reference);
                comesBack(StoredResult.encode(result, REFERENCE), reference);
            }
        }
    }

    @Test
    @DisplayName("without a reference the bytes are the result's own, unless it begins as ours do")
    void untouched() {
        byte[] result = bytes("grüße");
        assertThat(StoredResult.encode(result, null)).isSameAs(result);
        assertThat(StoredResult.decode(result).result()).isSameAs(result);
        assertThat(StoredResult.encode(null, null)).isNull();
        assertThat(StoredResult.decode(null)).isEqualTo(new StoredResult(null, null, null));
        assertThat(StoredResult.encode(new byte[] {-1, 7}, null)).containsExactly(-1, 1, 0, -1, 7);
        assertThat(StoredResult.encode(null, REFERENCE)).hasSize(3 + REFERENCE.length());
    }

    @Test
    @DisplayName(
            "a place comes back with any result and reference, in about 20 bytes, and takes no room from those without one")
    void place() {
        MessagePlace place = new MessagePlace("3", 1_234_567, 0x1234abcd, 1_234_000);
        for (String reference : new String[] {null, REFERENCE, "~".repeat(RunReference.MAX_CHARS)}) {
            assertThat(StoredResult.decode(StoredResult.encode(null, reference, place)))
                    .isEqualTo(new StoredResult(null, reference, place));
            for (byte[] result : HOSTILE) {
                byte[] stored = StoredResult.encode(result, reference, place);
                StoredResult decoded = StoredResult.decode(stored);
                assertThat(decoded.result()).isEqualTo(result);
                assertThat(decoded.firstRun()).isEqualTo(reference);
                assertThat(decoded.place()).isEqualTo(place);
                assertThat(stored.length - result.length - (reference == null ? 0 : reference.length()))
                        .isLessThanOrEqualTo(16);
            }
        }
        MessagePlace longest = new MessagePlace("q".repeat(39), Long.MAX_VALUE - 1, -1, 0);
        assertThat(StoredResult.encode(null, "~".repeat(RunReference.MAX_CHARS), longest))
                .hasSizeLessThanOrEqualTo(StoredResult.MAX_EXTRA_BYTES);
        assertThat(StoredResult.decode(StoredResult.encode(null, null, longest)).place())
                .isEqualTo(longest);
        assertThat(StoredResult.encode(null, null, new MessagePlace("q".repeat(40), 1, 1, 1)))
                .as("a broker's name that is too long is left out, not cut")
                .isNull();
    }

    @Test
    @DisplayName("bytes that aren't ours are a result as they are, and never a reference that we wouldn't keep")
    void foreign() {
        byte[] tooLong = new byte[3 + 129];
        tooLong[0] = -1;
        tooLong[2] = (byte) 129;
        Arrays.fill(tooLong, 3, tooLong.length, (byte) 'a');
        for (byte[] stored : List.of(
                new byte[] {-1},
                new byte[] {-1, 0},
                new byte[] {-1, 4, 0},
                new byte[] {-1, 2, 0},
                new byte[] {-1, 2, 0, 0},
                new byte[] {-1, 2, 0, 1, 5},
                new byte[] {-1, 2, 0, 8, 1, '0', 0, 0, 0, 0, 1, 9}, // committed beyond its own offset
                new byte[] {-1, 3, 0, (byte) 255, 1},
                new byte[] {-1, 0, 2, 'a'},
                new byte[] {-1, 0, 1, 'a', 'b'},
                new byte[] {-1, 1, 1, '\n'},
                new byte[] {-1, 0, 1, -61},
                tooLong)) {
            assertThat(StoredResult.decode(stored).result()).isSameAs(stored);
            assertThat(StoredResult.decode(stored).firstRun()).isNull();
        }
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            byte[] any = new byte[random.nextInt(12)];
            random.nextBytes(any);
            if (any.length > 0) {
                any[0] = -1;
            }
            comesBack(any, random.nextBoolean() ? "x" : null);
            String reference = StoredResult.decode(any).firstRun();
            assertThat(reference == null || StoredResult.isReference(reference)).isTrue();
        }
    }
}
