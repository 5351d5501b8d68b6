package io.dedup.privacy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResultEncryptionTest {
    private static final byte[] OLD = key(1);
    private static final byte[] NEW = key(2);
    private static final byte[] RESULT = "the customer's name".getBytes(StandardCharsets.UTF_8);

    private final ResultEncryption encryption = ResultEncryption.with("2026", OLD);

    private static byte[] key(int of) {
        byte[] key = new byte[ResultEncryption.KEY_BYTES];
        Arrays.fill(key, (byte) of);
        return key;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 15, 16, 17, 4_096, 1_000_000})
    void decryptsWhatItHasEncrypted(int size) {
        byte[] result = new byte[size];
        Arrays.fill(result, (byte) 7);

        byte[] stored = encryption.encrypt("scope", "id", result);

        assertThat(encryption.decrypt("scope", "id", stored)).isEqualTo(result);
        assertThat(stored.length - size).isEqualTo(ResultEncryption.MAX_EXTRA_BYTES - 32 + "2026".length());
    }

    @Test
    void theStoredBytesDoNotContainTheResultAndNeverRepeat() {
        byte[] first = encryption.encrypt("scope", "id", RESULT);
        byte[] second = encryption.encrypt("scope", "id", RESULT);

        assertThat(new String(first, StandardCharsets.ISO_8859_1)).doesNotContain("customer");
        assertThat(Arrays.copyOfRange(first, 6, 34)).isNotEqualTo(Arrays.copyOfRange(second, 6, 34));
        assertThat(Arrays.copyOfRange(first, 34, first.length))
                .isNotEqualTo(Arrays.copyOfRange(second, 34, second.length));
        assertThat(encryption.toString()).isEqualTo("ResultEncryption with key 2026");
    }

    @Test
    @DisplayName("a change of any stored byte is noticed, as is a cut")
    void tampering() {
        byte[] stored = encryption.encrypt("scope", "id", RESULT);
        for (int i = 0; i < stored.length; i++) {
            byte[] changed = stored.clone();
            changed[i] ^= 1;
            assertRejected(encryption, "scope", "id", changed);
            assertRejected(encryption, "scope", "id", Arrays.copyOf(stored, i));
        }
        assertRejected(encryption, "scope", "id", Arrays.copyOf(stored, stored.length + 1));
    }

    @Test
    @DisplayName("a result of another message is noticed, also if scope and ID read the same once they are joined")
    void bound() {
        byte[] stored = encryption.encrypt("ab", "c", RESULT);

        assertRejected(encryption, "ab", "d", stored);
        assertRejected(encryption, "a", "bc", stored);
        assertRejected(encryption, "abc", "", stored);
        assertThat(encryption.decrypt("ab", "c", stored)).isEqualTo(RESULT);
    }

    @Test
    void rotation() {
        byte[] byOld = encryption.encrypt("scope", "id", RESULT);
        ResultEncryption prepared = encryption.alsoReading("2027", NEW);
        ResultEncryption rotated = ResultEncryption.with("2027", NEW).alsoReading("2026", OLD);
        byte[] byNew = rotated.encrypt("scope", "id", RESULT);

        assertThat(rotated.decrypt("scope", "id", byOld)).isEqualTo(RESULT);
        assertThat(prepared.decrypt("scope", "id", byNew)).isEqualTo(RESULT);
        assertThat(ResultEncryption.with("2026", OLD).decrypt("scope", "id", prepared.encrypt("scope", "id", RESULT)))
                .as("a key for reading is not used to encrypt")
                .isEqualTo(RESULT);
        assertThatThrownBy(() -> ResultEncryption.with("2027", NEW).decrypt("scope", "id", byOld))
                .hasMessage(
                        "the stored result was encrypted with key 2026, which resultEncryption does not have: add it"
                                + " for reading");
        assertThatThrownBy(() -> ResultEncryption.with("2026", NEW).decrypt("scope", "id", byOld))
                .hasMessageContaining("under the ID 2026");
    }

    @Test
    void whatIsNotEncryptedIsNotGivenOut() {
        for (byte[] plain : new byte[][] {{}, {1}, RESULT, new byte[100]}) {
            assertThatThrownBy(() -> encryption.decrypt("scope", "id", plain))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("the stored result is not encrypted");
        }
    }

    @Test
    void badKeys() {
        assertThatThrownBy(() -> ResultEncryption.with("a", new byte[16]))
                .hasMessage("key a of resultEncryption must have 32 random bytes, but has 16");
        assertThatThrownBy(() -> encryption.alsoReading("2026", NEW))
                .hasMessage("resultEncryption has two keys with the ID 2026");
        for (String id : new String[] {"", "x".repeat(33), "ä", "a b"}) {
            assertThatThrownBy(() -> ResultEncryption.with(id, OLD))
                    .hasMessageStartingWith("a key ID of resultEncryption must be 1 to 32");
        }
    }

    private static void assertRejected(ResultEncryption by, String scope, String id, byte[] stored) {
        assertThatThrownBy(() -> by.decrypt(scope, id, stored)).isInstanceOf(IllegalArgumentException.class);
    }
}
