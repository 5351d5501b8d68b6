package io.dedup.testkit.internal.scenario;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Message IDs that are all different, of kinds that stores have confused or failed on. */
public final class HostileIds {
    private static final String[] IDS = {
        // case, spaces, control characters
        "a",
        "A",
        "a ",
        "a  ",
        " a",
        "\ta",
        "a\t",
        "a\n",
        "a\r\n",
        "a\u0000",
        "\u0000a",
        "a\u0000b",
        "a\u0000c",
        "\u0000",
        "\u0000\u0000",
        "a\u0001",
        "a\u001f",
        "a\u007f",
        "a\u0080",
        "a\u0085",
        "a\u00a0",
        "a\u00ff",
        "a\u2028",
        "a\u3000",
        // collations: composed and decomposed, ignorable, folded, padded
        "\u00e9",
        "e\u0301",
        "e",
        "\u00c9",
        "\u00df",
        "ss",
        "SS",
        "\u1e9e",
        "i",
        "I",
        "\u0131",
        "\u0130",
        "\u212b",
        "\u00c5",
        "A\u030a",
        "\uff21",
        "a\u200b",
        "a\u00ad",
        "a\u200d",
        "\ufeffa",
        "a\u202e",
        "\ufb01",
        "fi",
        "\u00b2",
        "2",
        "\u0660",
        "0",
        "\u043e",
        "o",
        "\u03bf",
        // beyond the basic plane, and the ends of the planes
        "\ud83d\udc4d",
        "\ud83d\udc4d\ud83c\udffd",
        "\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67",
        "\ud83d\ude00",
        "\ud83d\ude01",
        "\udbff\udfff",
        "\uffff",
        "\ufffd",
        "\ud7ff",
        "\ue000",
        "?",
        "??",
        "????",
        // hash tags, separators, globs
        "{a}",
        "{}",
        "}{",
        "{",
        "}",
        "a{b}c",
        "a{b}d",
        "{a}b",
        "{}a",
        "a{}",
        "*",
        "a*",
        "[a-z]",
        "[^a]",
        "h?llo",
        "hello",
        "a:b",
        "a:",
        ":a",
        ":",
        "a/b",
        "/",
        "a|b",
        "|",
        "a,b",
        ",",
        "a;b",
        "a#b",
        "a-b",
        "a_b",
        "a.b",
        "1:a",
        "2:ab",
        "11:a",
        // SQL
        "%",
        "a%",
        "_",
        "\\%",
        "\\_",
        "'",
        "''",
        "\"",
        "\"\"",
        "`",
        "\\",
        "\\\\",
        "\\'",
        "' OR '1'='1",
        "a'; DROP TABLE a; --",
        "--",
        "/* a */",
        "$1",
        "$$",
        "$a$",
        ":id",
        "?1",
        "@a",
        "E'\\x61'",
        "0x61",
        "\\x61",
        "\\000",
        "\\0",
        "\\u0000",
        "\\N",
        "#{id}",
        "${id}",
        "%s",
        "%n",
        "%00",
        "%20",
        "a+b",
        "a%20b",
        "a b",
        // numbers
        "1",
        "01",
        "001",
        "+1",
        "-1",
        "1.0",
        "1.",
        "1e0",
        "-0",
        "00",
        "0.0",
        "0x1",
        "1_000",
        "1000",
        "1e3",
        "9007199254740992",
        "9007199254740993",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551616",
        "1e309",
        "NaN",
        "nan",
        "Infinity",
        "-inf",
        // words of other languages
        "null",
        "NULL",
        "nil",
        "None",
        "undefined",
        "true",
        "TRUE",
        "false",
        "[]",
        "[1]",
        "{\"a\":1}",
        "{\"a\": 1}",
        "\"a\"",
        "return 1",
        "redis.call('FLUSHALL')",
        "KEYS[1]",
        "ARGV[1]",
        "a\r\nSET b c\r\n",
        "*1\r\n$4\r\nPING\r\n",
        "<a>",
        "&lt;",
        "sha256:",
        "sha256",
        "SHA256:a",
        "P|1",
        "D|1",
        "dlt!a",
        "shadow!a",
    };

    private HostileIds() {}

    /** Raw IDs, no two of them alike. */
    public static List<String> all() {
        Set<String> ids = new LinkedHashSet<>(List.of(IDS));
        int max = DedupKey.MAX_BYTES;
        String tail = "x".repeat(max - 1);
        ids.add(tail);
        ids.add(tail + "a"); // the longest that is kept raw
        ids.add(tail + "b");
        ids.add(tail + "A");
        ids.add(tail + " ");
        ids.add(tail + "aa"); // one more: hashed
        ids.add(tail + "ab");
        ids.add("x".repeat(10_000));
        ids.add("\u0000".repeat(max));
        ids.add("\u0000".repeat(max - 1));
        ids.add("\u00e9".repeat(127) + "a");
        ids.add("\u00e9".repeat(127) + "A");
        ids.add("\u20ac".repeat(85)); // 255 bytes in 85 characters
        ids.add("\u20ac".repeat(84));
        ids.add("\ud83d\ude00".repeat(63) + "abc");
        ids.add("\ud83d\ude00".repeat(63) + "abd");
        ids.add("sha256:" + "0".repeat(64)); // looks hashed, so is hashed
        ids.add("'".repeat(max));
        ids.add("\\".repeat(max));
        ids.add("{".repeat(max));
        return List.copyOf(ids);
    }

    /** Pairs of scope and ID that read the same once they are joined by a separator. */
    public static List<DedupKey> joined(String topic) {
        List<DedupKey> keys = new ArrayList<>();
        for (String separator : List.of(
                ":", "/", "|", ",", ";", " ", "\u0000", "\n", "\t", "{", "}", "{}", "-", "_", "#", ".", "!", "@", "$",
                "%", "&", "+", "=", "~", "\u001f", "\ue000", "::", "1:", "/1")) {
            keys.add(DedupScope.of("c", topic + separator + "x").key("y"));
            keys.add(DedupScope.of("c", topic).key("x" + separator + "y"));
        }
        String text = DedupScope.of("c", topic).text();
        keys.add(DedupScope.of("c", topic).key("z"));
        keys.add(DedupScope.of("c", topic + "z").key("y"));
        keys.add(DedupScope.of("c", topic).key("zy"));
        keys.add(DedupScope.of("c", topic).key(text));
        keys.add(DedupScope.of("c", topic).key(text + "z"));
        keys.add(DedupScope.of("c", text).key("z"));
        keys.add(DedupScope.of(topic, "c").key("z"));
        keys.add(DedupScope.of("C", topic).key("z"));
        keys.add(DedupScope.of("c", topic.toUpperCase(Locale.ROOT)).key("z"));
        keys.add(DedupScope.of("c", topic + " ").key("z"));
        keys.add(DedupScope.of("c", topic + "\u0000").key("z"));
        keys.add(DedupScope.of("c", topic + "\u00e9").key("z"));
        keys.add(DedupScope.of("c", topic + "e\u0301").key("z"));
        keys.add(DedupScope.of("c", topic + "'").key("z"));
        keys.add(DedupScope.of("c", topic + "*").key("z"));
        keys.add(DedupScope.of("c", topic + "%").key("z"));
        keys.add(DedupScope.of("c", topic + "_").key("z"));
        keys.add(DedupScope.deadLetter("c", topic).key("z"));
        keys.add(DedupScope.of("c", topic).shadow().key("z"));
        keys.add(DedupScope.of("c", topic + "t".repeat(300)).key("z"));
        keys.add(DedupScope.of("c", topic + "t".repeat(301)).key("z"));
        keys.add(DedupScope.of("c", topic + "\u20ac".repeat(70)).key("z"));
        keys.add(DedupScope.of("c", topic + "\u20ac".repeat(69)).key("z"));
        return keys;
    }
}
