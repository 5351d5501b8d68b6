package io.dedup.store.redis.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.fuzz.Fuzz;
import io.dedup.fuzz.Hostile;
import io.dedup.store.redis.RedisDedupStore;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RecordKeysFuzzTest {
    private static final int INPUTS = 20_000;

    @Test
    @DisplayName("no two of scope and ID have one key in Redis, and each is read back as it was")
    void keys() {
        Fuzz.check("keys in Redis", INPUTS, input -> {
            RecordKeys keys = new RecordKeys(input.oneOf("dedup", "d", "dedup:1", "1"));
            DedupScope scope = scope(input);
            DedupKey key = scope.key(name(input));
            DedupKey other = near(input, scope, key);

            byte[] stored = keys.key(key);

            assertThat(keys.key(key)).isEqualTo(stored);
            assertThat(keys.parse(stored)).isEqualTo(new RecordKeys.Stored(scope.text(), key.messageId()));
            assertThat(Arrays.equals(stored, keys.key(other)))
                    .as("%s and %s", key, other)
                    .isEqualTo(key.equals(other));
            assertThat(new String(stored, StandardCharsets.UTF_8))
                    .doesNotStartWith(new String(keys.pingKey(), StandardCharsets.UTF_8))
                    .isNotEqualTo(new String(keys.retentionKey(), StandardCharsets.UTF_8));
            // Nobody else's key is taken apart into nonsense that fails.
            Object unused = keys.parse(input.damaged(stored));
        });
    }

    @Test
    @DisplayName("wrong addresses and namespaces are refused in one line, which holds no password")
    void settings() {
        Fuzz.check("Redis addresses", 2_000, 5, input -> {
            String uri = input.oneOf("redis://", "rediss://", "redis-sentinel://", "redis-socket://", "http://", "")
                    + input.oneOf("", "user:pass5word@", ":pass5word@", "pass5word@")
                    + input.oneOf("host", "host:6379", "host:99999", "[::1]", input.anyText())
                    + input.oneOf("", "/0", "/x", "#m", "?timeout=x", "?timeout=-1s", input.anyText());
            refusedOrNot(() -> RedisDedupStore.builder().uri(uri));
            refusedOrNot(() -> RedisDedupStore.builder().clusterUri(uri));
            refusedOrNot(() -> RedisDedupStore.builder().namespace(input.anyText()));
        });
    }

    private static void refusedOrNot(Runnable setting) {
        try {
            setting.run();
        } catch (IllegalArgumentException e) {
            Fuzz.requireLogLine(String.valueOf(e.getMessage()));
            assertThat(e.getMessage()).doesNotContain("pass5word");
        }
    }

    private static DedupScope scope(Hostile input) {
        DedupScope scope = input.once(5)
                ? DedupScope.deadLetter(name(input), name(input))
                : DedupScope.of(name(input), name(input));
        return input.once(5) ? scope.shadow() : scope;
    }

    private static DedupKey near(Hostile input, DedupScope scope, DedupKey key) {
        String text = scope.text();
        return switch (input.below(5)) {
            case 0 -> scope.key(notBlank(input.near(key.messageId())));
            case 1 ->
                DedupScope.of(notBlank(input.near(scope.consumer())), scope.topic())
                        .key(key.messageId());
            case 2 ->
                DedupScope.of(scope.consumer(), notBlank(input.near(scope.topic())))
                        .key(key.messageId());
            case 3 -> scope.key(text + ":" + key.messageId());
            default -> DedupScope.of(text, key.messageId()).key(text.length() + ":" + text);
        };
    }

    private static String name(Hostile input) {
        return notBlank(input.text());
    }

    private static String notBlank(String text) {
        return text.isBlank() ? "blank" : text;
    }
}
