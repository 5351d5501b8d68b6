package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings that cannot work are refused, by name. */
class SettingsTest {
    private static void refused(String setting, UnaryOperator<RedisDedupStoreBuilder> change) {
        assertThatThrownBy(() -> change.apply(RedisDedupStore.builder()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(setting);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a{b", "a}b", "a b", "ä", "a\u0000", "a*"})
    @DisplayName("D6 a namespace without braces, which would choose the slot")
    void namespace(String namespace) {
        refused("namespace", builder -> builder.namespace(namespace));
        refused("namespace", builder -> builder.namespace("x".repeat(65)));
    }

    @Test
    @DisplayName("durations in their ranges")
    void durations() {
        for (Duration retention :
                List.of(Duration.ZERO, Duration.ofDays(-1), Duration.ofMillis(999), Duration.ofDays(4_000))) {
            refused("attemptRetention", builder -> builder.attemptRetention(retention));
        }
        for (Duration timeout : List.of(Duration.ZERO, Duration.ofMillis(-5), Duration.ofHours(1))) {
            refused("commandTimeout", builder -> builder.commandTimeout(timeout));
            refused("waitForReplicas", builder -> builder.waitForReplicas(1, timeout));
        }
    }

    @Test
    @DisplayName("D5 batches of a size that a server can swallow")
    void maxBatch() {
        for (int size : new int[] {0, -1, 5_001, Integer.MAX_VALUE}) {
            refused("maxBatch", builder -> builder.maxBatch(size));
        }
    }

    @Test
    @DisplayName("a number of replicas that makes sense, a shorter wait than the timeout, and no cluster")
    void replicas() {
        refused("waitForReplicas", builder -> builder.waitForReplicas(0, Duration.ofMillis(10)));
        refused("waitForReplicas", builder -> builder.waitForReplicas(101, Duration.ofMillis(10)));
        assertThatThrownBy(() -> RedisDedupStore.builder()
                        .uri("redis://localhost")
                        .commandTimeout(Duration.ofMillis(100))
                        .waitForReplicas(1, Duration.ofMillis(100))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("waitForReplicas")
                .hasMessageContaining("commandTimeout");
        assertThatThrownBy(() -> RedisDedupStore.builder()
                        .clusterUri("redis://localhost")
                        .waitForReplicas(1, Duration.ofMillis(100))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("waitForReplicas");
    }

    @Test
    @DisplayName("one place to connect to")
    void where() {
        assertThatThrownBy(() -> RedisDedupStore.builder().build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("uri");
        refused("uri", builder -> builder.uri("redis://localhost").clusterUri("redis://localhost"));
        refused("clusterUris", builder -> builder.clusterUris(List.of()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "localhost",
                "http://:secret-word@localhost",
                "redis://:secret-word@",
                "redis://:secret-word@ho st"
            })
    @DisplayName("a URI that is one, whose password isn't shown when it isn't")
    void uri(String uri) {
        for (UnaryOperator<RedisDedupStoreBuilder> change : List.<UnaryOperator<RedisDedupStoreBuilder>>of(
                builder -> builder.uri(uri), builder -> builder.clusterUri(uri))) {
            assertThatThrownBy(() -> change.apply(RedisDedupStore.builder()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageMatching("(?s)(uri|clusterUri) .*")
                    .hasMessageNotContaining("secret-word")
                    .hasNoCause();
        }
    }
}
