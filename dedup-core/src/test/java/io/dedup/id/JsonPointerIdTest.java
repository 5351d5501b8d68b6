package io.dedup.id;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.dedup.DedupKey;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonPointerIdTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "/id | {\"id\":\"a-1\"} | a-1",
                "/id | {\"other\":[{\"id\":1}],\"id\":\" b \"} | ^ b ^",
                "/payment/id | {\"id\":1,\"payment\":{\"x\":{\"id\":2},\"id\":3}} | 3",
                "/items/0/sku | {\"items\":[{\"sku\":\"s0\"},{\"sku\":\"s1\"}]} | s0",
                "/items/1/sku | {\"items\":[{\"sku\":\"s0\"},{\"sku\":\"s1\"}]} | s1",
                "/1/2 | [[],[7,8,9]] | 9",
                "/0 | {\"0\":\"a member's name\"} | a member's name",
                "/a~1b | {\"a/b\":\"slash\"} | slash",
                "/m~0n | {\"m~n\":\"tilde\"} | tilde",
                "/~01 | {\"/\":\"no\",\"~1\":\"yes\"} | yes",
                "/ | {\"\":\"the empty name\"} | the empty name",
                "/a//b | {\"a\":{\"\":{\"b\":\"deep\"}}} | deep",
                "^^ | \"whole\" | whole",
                "^^ | 42 | 42",
                "/id | {\"id\":-0} | -0",
                "/id | {\"id\":123456789012345678901234567890} | 123456789012345678901234567890",
                "/id | {\"\\u0069d\":\"escaped name\"} | escaped name",
                "/id | {\"id\":\"first\",\"id\":\"second\"} | first",
            })
    void findsStringsAndIntegers(String pointer, String json, String expected) {
        JsonPointerId id = JsonPointerId.of(pointer);

        assertThat(id.find(json)).isEqualTo(expected);
        assertThat(id.find(json.getBytes(UTF_8))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "/id | {}",
                "/id | []",
                "/id | 7",
                "/id | {\"Id\":1}",
                "/id | {\"id\":null}",
                "/id | {\"id\":true}",
                "/id | {\"id\":1.0}",
                "/id | {\"id\":1e3}",
                "/id | {\"id\":{\"id\":1}}",
                "/id | {\"id\":[1]}",
                "/id/x | {\"id\":\"text\"}",
                "/a/b | {\"a\":{\"c\":1},\"a\":{\"b\":\"of the second\"}}",
                "/0 | []",
                "/2 | [1,2]",
                "/- | [1,2]",
                "/01 | [1,2]",
                "/-1 | [1,2]",
                "/+1 | [1,2]",
                "/٣ | [1,2,3,4]",
                "/4294967296 | [1,2]",
                "/99999999999999999999 | [1,2]",
                "^^ | {}",
            })
    void anythingElseIsNoId(String pointer, String json) {
        JsonPointerId id = JsonPointerId.of(pointer);

        assertThat(id.find(json)).isNull();
        assertThat(id.find(json.getBytes(UTF_8))).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "  ",
                "{",
                "{\"other\":",
                "{\"other\":\"secr",
                "{\"other\":secret",
                "{other:1}",
                "{'id':1}",
                "{\"other\":\"secret\nline\",\"id\":1}",
                "{\"other\":01,\"id\":1}",
                "{\"other\":[1,],\"id\":1}",
                "{\"id\":\"secr",
                "{\"id\":\"secret\\x\"}",
                "{\"id\":secret}",
                "secret",
                "]",
                "\u0000",
            })
    void malformedJsonIsAnErrorThatQuotesNothing(String json) {
        JsonPointerId id = JsonPointerId.of("/id");

        for (ThrowingFind find : new ThrowingFind[] {() -> id.find(json), () -> id.find(json.getBytes(UTF_8))}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(find::call)
                    .withMessageContaining("JSON")
                    .withMessageNotContaining("secr")
                    .withNoCause()
                    .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(120));
        }
    }

    @Test
    void whatFollowsTheIdIsNotRead() {
        assertThat(JsonPointerId.of("/id").find("{\"id\":\"a\", this is no JSON"))
                .isEqualTo("a");
    }

    @Test
    void deepNestingIsRefusedRatherThanOverflowingTheStack() {
        String deep = "{\"x\":" + "[".repeat(100_000) + "]".repeat(100_000) + ",\"id\":1}";

        assertThatIllegalArgumentException()
                .isThrownBy(() -> JsonPointerId.of("/id").find(deep))
                .withMessageStartingWith("JSON beyond the reader's limits");
        assertThat(JsonPointerId.of("/id").find("{\"x\":" + "[".repeat(400) + "]".repeat(400) + ",\"id\":1}"))
                .isEqualTo("1");
    }

    @Test
    void aHugeNumberIsRefusedOrTakenAsItsText() {
        JsonPointerId id = JsonPointerId.of("/id");

        assertThat(id.find("{\"id\":" + "9".repeat(1_000) + "}")).isEqualTo("9".repeat(1_000));
        assertThatIllegalArgumentException().isThrownBy(() -> id.find("{\"id\":" + "9".repeat(1_000_000) + "}"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> id.find(("{\"id\":" + "9".repeat(1_000_000) + "}").getBytes(UTF_8)));
    }

    @Test
    void aByteOrderMarkIsSkipped() {
        JsonPointerId id = JsonPointerId.of("/id");
        String marked = "\uFEFF{\"id\":\"ü\"}";

        assertThat(id.find(marked)).isEqualTo("ü");
        assertThat(id.find(marked.getBytes(UTF_8))).isEqualTo("ü");
        assertThat(id.find(marked.getBytes(UTF_16BE))).isEqualTo("ü");
        assertThatIllegalArgumentException().isThrownBy(() -> id.find("\uFEFF"));
    }

    @Test
    void loneSurrogatesAreFoundAndThenRefusedAsAnId() {
        JsonPointerId id = JsonPointerId.of("/id");

        for (String json : new String[] {"{\"id\":\"a\\ud800b\"}", "{\"id\":\"\\udc00\"}"}) {
            assertThat(DedupKey.problemWith(id.find(json))).contains("lone surrogate");
            assertThat(DedupKey.problemWith(id.find(json.getBytes(UTF_8)))).contains("lone surrogate");
        }
        assertThat(id.find("{\"id\":\"\\ud83d\\ude00\"}")).isEqualTo("😀");
        assertThat(id.find("{\"id\":\"\\u0000\"}")).isEqualTo("\u0000");
    }

    @Test
    void bytesThatAreNotUtf8AreMalformed() {
        byte[] latin1 = "{\"id\":\"é\"}".getBytes(ISO_8859_1);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> JsonPointerId.of("/id").find(latin1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"id", "#/id", " /id", "$.id", "/a~", "/a~2b", "/~/", "/\ud800"})
    void whatIsNoPointerIsRefusedWithAReason(String pointer) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JsonPointerId.of(pointer))
                .withMessageContaining("a JSON Pointer must");
    }

    @Test
    void namesTheDependencyWhenItIsMissing() throws Exception {
        Class<?> there = new WithoutJackson().loadClass(JsonPointerId.class.getName());
        Method of = there.getMethod("of", String.class);

        assertThatIllegalStateException()
                .isThrownBy(() -> unwrapped(of, "/id"))
                .withMessageContaining("tools.jackson.core:jackson-core");
        assertThatIllegalArgumentException().isThrownBy(() -> unwrapped(of, "id"));
    }

    private static Object unwrapped(Method method, String argument) throws Throwable {
        try {
            return method.invoke(null, argument);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private interface ThrowingFind {
        @Nullable
        String call();
    }

    /** Defines this package's classes again, and knows no Jackson. */
    private static final class WithoutJackson extends ClassLoader {
        WithoutJackson() {
            super(JsonPointerIdTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("tools.jackson.")) {
                throw new ClassNotFoundException(name);
            }
            return name.startsWith("io.dedup.id.") ? defined(name) : super.loadClass(name, resolve);
        }

        private Class<?> defined(String name) throws ClassNotFoundException {
            Class<?> known = findLoadedClass(name);
            return known != null ? known : define(name);
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream bytes = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] all = bytes.readAllBytes();
                return defineClass(name, all, 0, all.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
