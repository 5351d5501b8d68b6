package io.dedup.fuzz;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One input's source of hostile values. The same seed gives the same values. Not thread-safe. */
public final class Hostile {
    /** What separators, encodings, collations, logs, scripts and expressions have stumbled over. */
    private static final String[] PIECES = {
        "",
        " ",
        "  ",
        "\t",
        "\n",
        "\r\n",
        "\u0000",
        "\u0001",
        "\u001b[31m",
        "\u007f",
        "\u0085",
        "\u00a0",
        "\u00ad",
        "\u200b",
        "\u200d",
        "\u2028",
        "\u2029",
        "\u202e",
        "\u2066",
        "\ufeff",
        "\ufffd",
        "\uffff",
        "\ud83d\ude00",
        "\udbff\udfff",
        "\u00e9",
        "e\u0301",
        "\u00df",
        "ss",
        "\u0130",
        "i",
        "I",
        "\u20ac",
        ":",
        "::",
        "/",
        "//",
        "|",
        ",",
        ";",
        "-",
        "_",
        "#",
        ".",
        "..",
        "!",
        "{",
        "}",
        "{}",
        "}{",
        "[",
        "]",
        "(",
        ")",
        "*",
        "+",
        "?",
        "^",
        "$",
        "\\",
        "\\\\",
        "\\u0000",
        "'",
        "''",
        "\"",
        "`",
        "%",
        "%00",
        "%0a",
        "%2F",
        "${x}",
        "${",
        "#{x}",
        "~",
        "~0",
        "~1",
        "~2",
        "&",
        "=",
        "<",
        ">",
        "@",
        "0",
        "00",
        "1",
        "01",
        "1.0",
        "1e400",
        "-0",
        "-1",
        "2147483648",
        "9223372036854775808",
        "NaN",
        "null",
        "true",
        "{\"a\":1}",
        "sha256:",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "base64:",
        "base64:YQ",
        "stored:",
        "dlt!",
        "shadow!",
        "1:a",
        "2:ab",
        "a",
        "A",
        "b",
        "ab",
        "id",
        "ID",
        "order-id",
        "orders",
        "billing",
        "FLUSHALL",
        "\r\nSET a b\r\n",
        "' OR '1'='1",
        "2026-01-01 00:00:00 ERROR forged",
        "x.y",
        "T(java.lang.Runtime)"
    };

    /** Half of a pair: text that no encoding keeps. */
    private static final String[] LONE = {"\ud800", "\udbff", "\udc00", "\udfff", "\ude00\ud83d"};

    private final SplittableRandom random;

    Hostile(long seed) {
        this.random = new SplittableRandom(seed);
    }

    /** From 0 to one below the bound. */
    public int below(int bound) {
        return random.nextInt(bound);
    }

    /** True once in so many. */
    public boolean once(int in) {
        return random.nextInt(in) == 0;
    }

    public long anyLong() {
        return random.nextLong() >> random.nextInt(64);
    }

    @SafeVarargs
    @SuppressWarnings("varargs")
    public final <T extends @Nullable Object> T oneOf(T... values) {
        return values[random.nextInt(values.length)];
    }

    public <T> T oneOf(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    /** Text that every encoding keeps; now and then empty, blank or huge. */
    public String text() {
        StringBuilder text = new StringBuilder();
        int pieces = 1 + random.nextInt(once(10) ? 12 : 3);
        for (int i = 0; i < pieces; i++) {
            if (once(3)) {
                text.appendCodePoint(codePoint());
            } else {
                text.append(oneOf(PIECES));
            }
        }
        if (once(40)) {
            String piece = text.isEmpty() ? "x" : text.toString();
            return piece.repeat(1 + random.nextInt(once(20) ? 3_000 : 300));
        }
        return text.toString();
    }

    /** Text that may hold half of a pair. */
    public String anyText() {
        String text = text();
        if (!once(8)) {
            return text;
        }
        int at = random.nextInt(text.length() + 1);
        return text.substring(0, at) + oneOf(LONE) + text.substring(at);
    }

    /** Another text that something may take for this one; by chance the same. */
    public String near(String text) {
        int at = text.isEmpty() ? 0 : random.nextInt(text.length() + 1);
        return switch (random.nextInt(12)) {
            case 0 -> text + oneOf(PIECES);
            case 1 -> oneOf(PIECES) + text;
            case 2 -> wellFormed(text.substring(0, at)) + oneOf(PIECES) + wellFormed(text.substring(at));
            case 3 -> text.toUpperCase(Locale.ROOT);
            case 4 -> text.toLowerCase(Locale.ROOT);
            case 5 -> text.strip();
            case 6 -> Normalizer.normalize(text, oneOf(Normalizer.Form.values()));
            case 7 -> wellFormed(text.substring(0, at));
            case 8 -> wellFormed(text.substring(at));
            case 9 -> text.length() + ":" + text;
            case 10 -> text.replace('\u0000', ' ');
            default -> text;
        };
    }

    /** Bytes that may be UTF-8, or be nearly. */
    public byte[] bytes() {
        byte[] bytes = text().getBytes(oneOf(
                StandardCharsets.UTF_8,
                StandardCharsets.UTF_8,
                StandardCharsets.UTF_8,
                StandardCharsets.ISO_8859_1,
                StandardCharsets.UTF_16));
        return once(3) ? damaged(bytes) : bytes;
    }

    /** The same with a few bytes changed, taken away or put in, or cut off. */
    public byte[] damaged(byte[] bytes) {
        byte[] result = bytes.clone();
        int changes = 1 + random.nextInt(3);
        for (int i = 0; i < changes && result.length > 0; i++) {
            int at = random.nextInt(result.length);
            switch (random.nextInt(4)) {
                case 0 -> result[at] = (byte) random.nextInt(256);
                case 1 -> result[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> result = Arrays.copyOf(result, at);
                default -> {
                    byte[] longer = Arrays.copyOf(result, result.length + 1);
                    System.arraycopy(result, at, longer, at + 1, result.length - at);
                    longer[at] = oneOf(0x00, 0x0a, 0x22, 0x5c, 0x80, 0xc0, 0xed, 0xf4, 0xff)
                            .byteValue();
                    result = longer;
                }
            }
        }
        return result;
    }

    private int codePoint() {
        int c = once(2) ? random.nextInt(0x80) : random.nextInt(once(4) ? 0x110000 : 0x800);
        return c >= 0xd800 && c <= 0xdfff ? 'x' : c;
    }

    /** Without the half of a pair that a cut may have left. */
    private static String wellFormed(String text) {
        String result = text;
        if (!result.isEmpty() && Character.isLowSurrogate(result.charAt(0))) {
            result = result.substring(1);
        }
        int last = result.length() - 1;
        return last >= 0 && Character.isHighSurrogate(result.charAt(last)) ? result.substring(0, last) : result;
    }
}
