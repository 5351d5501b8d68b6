package io.dedup.id;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.fuzz.Fuzz;
import io.dedup.fuzz.Hostile;
import java.math.BigInteger;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class JsonFuzzTest {
    private static final int INPUTS = 10_000;
    private static final List<String> PATH = List.of("payment", "id");
    private static final JsonPointerId POINTER = JsonPointerId.of("/payment/id");
    private static final List<Charset> CHARSETS = List.of(
            StandardCharsets.UTF_8,
            StandardCharsets.UTF_16BE,
            StandardCharsets.UTF_16LE,
            Charset.forName("UTF-32BE"),
            Charset.forName("UTF-32LE"));
    private static final int MOST_OF_A_NAME = 60;

    private static final Pattern PROBLEM = Pattern.compile(
            "(no JSON: the document is empty|(JSON beyond the reader's limits \\(nesting, length of a name,"
                    + " string or number\\)|truncated JSON|malformed JSON)( at line -?\\d+, column -?\\d+)?)");

    /** A document, written step by step, and the ID that it has. */
    private static final class Document {
        private final Hostile input;
        private final StringBuilder json = new StringBuilder();

        private @Nullable String id;

        Document(Hostile input) {
            this.input = input;
            space();
            object(0, true);
        }

        /**
         * @param step how much of the path is above
         * @param onPath whether the ID is in here, if it is anywhere
         */
        private void object(int step, boolean onPath) {
            String wanted = PATH.get(step);
            boolean found = false;
            json.append('{');
            int members = input.below(5);
            for (int i = 0; i < members; i++) {
                json.append(i == 0 ? "" : ",");
                space();
                String name = input.once(2) ? wanted : name(wanted);
                string(name);
                space();
                json.append(':');
                space();
                boolean first = onPath && !found && name.equals(wanted);
                found |= first;
                boolean last = step == PATH.size() - 1;
                if (!last && !input.once(4)) {
                    object(step + 1, first);
                } else {
                    value(first && last);
                }
                space();
            }
            json.append('}');
        }

        private String name(String wanted) {
            String name = input.once(2) ? input.near(wanted) : input.text();
            return name.length() <= MOST_OF_A_NAME ? name : "decoy";
        }

        private void value(boolean isId) {
            switch (input.below(9)) {
                case 0, 1, 2 -> {
                    String text = input.text(); // a lone surrogate is malformed for some of Jackson's readers
                    string(text);
                    id = isId ? text : id;
                }
                case 3, 4 -> {
                    String number = new BigInteger(input.below(100) + 1, new Random(input.anyLong())).toString();
                    number = input.once(2) ? "-" + number : number;
                    json.append(number);
                    id = isId ? number : id;
                }
                case 5 ->
                    json.append(
                            input.oneOf("1.0", "1e400", "-1E-400", "1e1", "0.0", "123456789012345678901234567890.5"));
                case 6 -> json.append(input.oneOf("true", "false", "null"));
                case 7 -> json.append(input.oneOf("[]", "{}", "[1]", "{\"decoy\":\"decoy\"}", "[{\"id\":\"decoy\"}]"));
                default -> json.append("[".repeat(100)).append("\"decoy\"").append("]".repeat(100));
            }
        }

        /** The same text in one of the many ways in which JSON can write it. */
        private void string(String text) {
            json.append('"');
            boolean escapes = input.once(2);
            int at = 0;
            while (at < text.length()) {
                int c = text.codePointAt(at);
                if (c < 0x20 || (escapes && input.once(4))) {
                    for (char each : Character.toChars(c)) {
                        json.append(String.format(input.once(2) ? "\\u%04x" : "\\u%04X", (int) each));
                    }
                } else if (c == '"' || c == '\\') {
                    json.append('\\').append((char) c);
                } else {
                    json.appendCodePoint(c);
                }
                at += Character.charCount(c);
            }
            json.append('"');
        }

        private void space() {
            if (input.once(4)) {
                json.append(input.oneOf(" ", "\n", "\r\n", "\t", "   "));
            }
        }
    }

    @Test
    @DisplayName("the first member of the name is the ID, however the document is written and encoded")
    void wellFormedDocuments() {
        Fuzz.check("JSON documents", INPUTS, input -> {
            Document document = new Document(input);
            String json = document.json.toString();

            Charset charset = input.oneOf(CHARSETS);
            String marked = (input.once(3) ? "\ufeff" : "") + json;
            try {
                assertThat(POINTER.find(marked)).as(json).isEqualTo(document.id);
                assertThat(POINTER.find(marked.getBytes(charset)))
                        .as("%s: %s", charset, json)
                        .isEqualTo(document.id);
            } catch (IllegalArgumentException e) {
                throw new AssertionError(e.getMessage() + ", " + charset + ": " + json, e);
            }
        });
    }

    @Test
    @DisplayName("damaged documents have an ID or are refused in one known sentence, and always the same way")
    void damagedDocuments() {
        Fuzz.check("damaged JSON documents", INPUTS, input -> {
            byte[] bytes = input.damaged(
                    input.once(4)
                            ? input.bytes()
                            : new Document(input).json.toString().getBytes(input.oneOf(CHARSETS)));
            Object found = find(bytes);
            assertThat(find(bytes)).isEqualTo(found);
            find(new String(bytes, StandardCharsets.UTF_8));
        });
    }

    @Test
    @DisplayName("documents that are deep, long or endless are refused, and nothing else happens")
    void monsters() {
        Set<Object> outcomes = new HashSet<>();
        Fuzz.check("monstrous JSON documents", 50, 100, input -> {
            int times = 1 + input.below(100_000);
            String piece = input.oneOf(
                    "[", "{\"a\":", "{\"payment\":", "{\"payment\":{\"id\":", "[[],", "\"", "1", "{\"a\":1,");
            String json = input.oneOf("", "{\"payment\":{\"id\":", "{\"decoy\":")
                    + piece.repeat(times)
                    + input.oneOf("", "]", "}", "\"", "1}}");
            outcomes.add(find(json) == null);
            outcomes.add(find(json.getBytes(StandardCharsets.UTF_8)) == null);
        });
        assertThat(outcomes).isNotEmpty();
    }

    @Test
    @DisplayName("JSON Pointers are read or refused in one line, and say what was given")
    void pointers() {
        Fuzz.check("JSON Pointers", INPUTS, input -> {
            String text = (input.once(2) ? "/" : "") + input.anyText();
            try {
                JsonPointerId pointer = JsonPointerId.of(text);
                assertThat(pointer).hasToString(text);
                Object unused = pointer.find("{\"a\":[{\"b\":1}]}");
            } catch (IllegalArgumentException e) {
                Fuzz.requireLogLine(String.valueOf(e.getMessage()));
                assertThat(e.getMessage()).startsWith("a JSON Pointer must");
            }
        });
    }

    private static @Nullable Object find(Object json) {
        try {
            return json instanceof byte[] bytes ? POINTER.find(bytes) : POINTER.find((String) json);
        } catch (IllegalArgumentException e) {
            String problem = String.valueOf(e.getMessage());
            assertThat(problem.toLowerCase(Locale.ROOT)).doesNotContain("decoy");
            assertThat(PROBLEM.matcher(problem).matches()).as(problem).isTrue();
            assertThat(e.getCause()).isNull();
            return problem;
        }
    }
}
