package io.dedup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DedupKeyTest {
    private static final DedupScope SCOPE = DedupScope.of("billing", "orders");

    @Test
    void idsUpToTheLimitAreKeptAsGiven() {
        for (String id : List.of("a", "x".repeat(255), "ü".repeat(127), "😀".repeat(63) + "abc")) {
            assertThat(DedupKey.of(SCOPE, id).messageId()).isEqualTo(id);
        }
    }

    @Test
    @DisplayName("keys are equal if the scope and the ID are")
    void equality() {
        DedupKey key = DedupKey.of(SCOPE, "order-1");

        assertThat(key)
                .isEqualTo(DedupKey.of(DedupScope.of("billing", "orders"), "order-1"))
                .hasSameHashCodeAs(DedupKey.of(DedupScope.of("billing", "orders"), "order-1"))
                .isNotEqualTo(DedupKey.of(SCOPE, "order-2"))
                .doesNotHaveSameHashCodeAs(DedupKey.of(SCOPE, "order-2"))
                .isNotEqualTo(DedupKey.of(SCOPE.shadow(), "order-1"))
                .doesNotHaveSameHashCodeAs(DedupKey.of(SCOPE.shadow(), "order-1"))
                .isNotEqualTo(null)
                .isNotEqualTo("order-1");
    }

    @Test
    void longerOnesAreHashed() {
        for (String id : List.of("x".repeat(256), "ü".repeat(128), "😀".repeat(64), "x".repeat(10_000))) {
            assertThat(DedupKey.of(SCOPE, id).messageId()).matches("sha256:[0-9a-f]{64}");
        }
        assertThat(DedupKey.of(SCOPE, "abc".repeat(100)).messageId())
                .isEqualTo("sha256:d9f5aeb06abebb3be3f38adec9a2e3b94228d52193be923eb4e24c9b56ee0930");
    }

    @Test
    @DisplayName("no raw ID can be confused with the hash of another")
    void hashTag() {
        String hashed = DedupKey.of(SCOPE, "x".repeat(300)).messageId();

        assertThat(DedupKey.of(SCOPE, hashed).messageId()).isNotEqualTo(hashed).startsWith("sha256:");
        assertThat(DedupKey.of(SCOPE, "sha256:").messageId()).hasSize(71);
        assertThat(DedupKey.of(SCOPE, "SHA256:x").messageId()).isEqualTo("SHA256:x");
    }

    @Test
    @DisplayName("ill-formed text is no ID, hashed or not: encoded, all of it would look alike")
    void illFormedTextWithTheHashTag() {
        for (String id : List.of("\ud800", "sha256:\ud800", "sha256:\udbff", "x".repeat(300) + "\ud800")) {
            assertThatThrownBy(() -> DedupKey.of(SCOPE, id)).isInstanceOf(MissingMessageIdException.class);
            assertThat(DedupKey.problemWith(id)).contains("lone surrogate");
        }
    }

    @Test
    void theConstructorTakesStoredIdsOnly() {
        assertThatIllegalArgumentException().isThrownBy(() -> new DedupKey(SCOPE, "x".repeat(256)));
        assertThatThrownBy(() -> new DedupKey(SCOPE, " ")).isInstanceOf(MissingMessageIdException.class);
        assertThatNullPointerException().isThrownBy(() -> new DedupKey(null, "a"));
        assertThat(new DedupKey(SCOPE, DedupKey.of(SCOPE, "x".repeat(300)).messageId()))
                .isEqualTo(DedupKey.of(SCOPE, "x".repeat(300)));
    }

    @Test
    void problemsAreThoseThatTheConstructorFinds() {
        Random random = new Random(7);
        String alphabet = "ab \t\u0000{}\ud83d\ude00\ud800\udc00é:sha256";
        for (int i = 0; i < 5_000; i++) {
            StringBuilder id = new StringBuilder(random.nextInt(20) == 0 ? "sha256:" : "");
            for (int n = random.nextInt(6); n > 0; n--) {
                id.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            String text = id.toString();
            boolean usable = DedupKey.problemWith(text) == null;
            assertThat(usable)
                    .as("\"%s\"", text)
                    .isEqualTo(isKey(text))
                    .isEqualTo(!text.isBlank() && new String(text.getBytes(UTF_8), UTF_8).equals(text));
        }
    }

    private static boolean isKey(String text) {
        try {
            return DedupKey.of(SCOPE, text) != null;
        } catch (MissingMessageIdException e) {
            return false;
        }
    }

    @Test
    void textIsFitForALog() {
        assertThat(DedupKey.of(SCOPE, "a\nERROR \u001b[31m"))
                .hasToString("\"a\\u000aERROR \\u001b[31m\" (consumer \"billing\", topic \"orders\")");
    }

    @Test
    @DisplayName("scopes are unambiguous whatever their names hold")
    void scopesDoNotCollide() {
        List<String> names = List.of(
                "a",
                "b",
                "ab",
                "a/b",
                "/",
                "1:a",
                "1:a/b",
                "3:a/b",
                "dlt!",
                "dlt!a",
                "shadow!",
                "shadow!1:a/b",
                "sha256:",
                "x".repeat(300),
                "x".repeat(301),
                "ü",
                "\u0000",
                ":",
                "!");
        List<DedupScope> scopes = new ArrayList<>();
        for (String consumer : names) {
            for (String topic : names) {
                scopes.add(DedupScope.of(consumer, topic));
                scopes.add(DedupScope.deadLetter(consumer, topic));
                scopes.add(DedupScope.of(consumer, topic).shadow());
                scopes.add(DedupScope.deadLetter(consumer, topic).shadow());
            }
        }
        Set<String> texts = new HashSet<>();
        for (DedupScope scope : scopes) {
            assertThat(texts.add(scope.text())).as(scope.text()).isTrue();
            assertThat(scope.text().getBytes(UTF_8).length).isLessThanOrEqualTo(DedupScope.MAX_BYTES);
        }
        assertThat(new HashSet<>(scopes)).hasSameSizeAs(scopes);
        assertThat(DedupScope.of("a", "b"))
                .isEqualTo(DedupScope.of("a", "b"))
                .hasSameHashCodeAs(DedupScope.of("a", "b"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t", "\ud800"})
    void scopesNeedNames(String wrong) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DedupScope.of(wrong, "orders"))
                .withMessageContaining("consumer");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DedupScope.of("billing", wrong))
                .withMessageContaining("topic");
        assertThatNullPointerException()
                .isThrownBy(() -> DedupScope.of(null, "orders"))
                .withMessage("consumer");
    }

    @Test
    void fingerprints() {
        assertThat(Fingerprint.ofPayload("x".getBytes(UTF_8)).value()).matches("[0-9a-f]{32}");
        assertThat(Fingerprint.ofPayload(null)).isEqualTo(Fingerprint.ofPayload(new byte[0]));
        assertThat(Fingerprint.ofPayload("x".getBytes(UTF_8))).isNotEqualTo(Fingerprint.ofPayload("y".getBytes(UTF_8)));
        for (String wrong : List.of("", "x".repeat(65), "a b", "a:b", "é")) {
            assertThatIllegalArgumentException().isThrownBy(() -> new Fingerprint(wrong));
        }
        assertThat(new Fingerprint("Az09-_").value()).isEqualTo("Az09-_");
    }
}
