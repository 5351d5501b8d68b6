package io.dedup.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class IdTextTest {
    enum Kind {
        PAYMENT {
            @Override
            public String toString() {
                return "a payment";
            }
        }
    }

    @Test
    void whatHasOneText() {
        assertThat(IdText.of(null, "it")).isNull();
        assertThat(IdText.of("o-1", "it")).isEqualTo("o-1");
        assertThat(IdText.of(CharBuffer.wrap("o-1"), "it")).isEqualTo("o-1");
        assertThat(IdText.of('c', "it")).isEqualTo("c");
        for (Object seven : List.of(7L, 7, (short) 7, (byte) 7, BigInteger.valueOf(7))) {
            assertThat(IdText.of(seven, "it")).isEqualTo("7");
        }
        UUID uuid = UUID.randomUUID();
        assertThat(IdText.of(uuid, "it")).isEqualTo(uuid.toString());
        assertThat(IdText.of(Kind.PAYMENT, "it")).isEqualTo("PAYMENT");
        ByteBuffer bytes = ByteBuffer.wrap("ö".getBytes(StandardCharsets.UTF_8));
        assertThat(IdText.of(bytes.array(), "it")).isEqualTo("ö");
        assertThat(IdText.of(bytes, "it")).isEqualTo("ö");
        assertThat(bytes.remaining()).isEqualTo(2); // not consumed
    }

    @Test
    void whatHasNone() {
        for (Object value : List.of(1.0, new BigDecimal("1.00"), true, List.of("a"), new Object(), new char[] {'a'})) {
            assertThatThrownBy(() -> IdText.of(value, "the key"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("the key is a " + value.getClass().getName());
        }
        assertThatThrownBy(() -> IdText.of(new byte[] {(byte) 0xff}, "the key")).hasMessage("the key isn't UTF-8");
    }
}
