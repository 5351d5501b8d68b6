package io.dedup.privacy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.MissingMessageIdException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class IdHashingTest {
    private static final byte[] KEY = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final IdHashing hashing = IdHashing.of(KEY);

    @Test
    @DisplayName("it is HMAC-SHA-256: test case 6 of RFC 4231")
    void vector() {
        byte[] key = new byte[131];
        Arrays.fill(key, (byte) 0xaa);
        byte[] expected = HexFormat.of().parseHex("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");

        assertThat(IdHashing.of(key).hash("Test Using Larger Than Block-Size Key - Hash Key First"))
                .isEqualTo("hmac:" + Base64.getUrlEncoder().withoutPadding().encodeToString(expected));
    }

    @Test
    void theKeyIsCopiedAndNeverShown() {
        byte[] key = KEY.clone();
        IdHashing copied = IdHashing.of(key);
        key[0]++;

        assertThat(copied.hash("o-17")).isEqualTo(hashing.hash("o-17"));
        assertThat(IdHashing.of(key).hash("o-17")).isNotEqualTo(hashing.hash("o-17"));
        assertThat(IdHashing.of(key).keyCheck()).isNotEqualTo(hashing.keyCheck());
        assertThat(copied.toString()).isEqualTo("IdHashing");
        assertThatThrownBy(() -> IdHashing.of(new byte[31]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the key of idHashing must have at least 32 random bytes, but has 31");
    }

    @Test
    @DisplayName("a scope that hashes gives every ID its hash, whatever its length, and the same in all scopes")
    void scopes() {
        DedupScope plain = DedupScope.of("billing", "orders");
        DedupScope scope = plain.hashingIds(hashing);
        assertThat(scope).isEqualTo(plain);
        for (String id : List.of("o-17", "x".repeat(1_000), "sha256:x", "hmac:x", hashing.hash("o-17"), "ü")) {
            DedupKey key = scope.key(id);
            assertThat(key.messageId()).isEqualTo(hashing.hash(id)).hasSize(48);
            assertThat(IdHashing.isHash(key.messageId())).isTrue();
            assertThat(key.toString()).doesNotContain(id);
            assertThat(scope.shadow().key(id).messageId()).isEqualTo(key.messageId());
            assertThat(DedupScope.of("a", "b").hashingIds(hashing).key(id).messageId())
                    .isEqualTo(key.messageId());
            assertThat(DedupKey.of(scope, id)).isEqualTo(key);
        }
        assertThat(IdHashing.isHash("o-17")).isFalse();
        assertThat(IdHashing.isHash("hmac:x")).isFalse();
    }

    @Test
    void anUnusableIdIsMissingWithOrWithoutAHash() {
        DedupScope scope = DedupScope.of("billing", "orders").hashingIds(hashing);
        for (String id : new String[] {null, "", " ", "\ud800"}) {
            assertThatThrownBy(() -> scope.key(id)).isInstanceOf(MissingMessageIdException.class);
        }
    }
}
