package io.dedup.store.redis.internal.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class KeyPagesTest {
    @Test
    @DisplayName("glob characters mean themselves")
    void pattern() {
        byte[] glob = KeyPages.pattern(
                "a*?[^]\\b{}:".getBytes(StandardCharsets.UTF_8), "x*".getBytes(StandardCharsets.UTF_8));

        assertThat(new String(glob, StandardCharsets.UTF_8)).isEqualTo("a\\*\\?\\[\\^\\]\\\\b{}:*x\\*");
    }
}
