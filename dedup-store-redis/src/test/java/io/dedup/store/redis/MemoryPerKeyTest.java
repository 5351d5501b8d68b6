package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.Owner;
import io.dedup.store.redis.internal.record.RecordKeys;
import io.dedup.testservers.redis.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;

/** What a record takes, which is a published figure. */
class MemoryPerKeyTest {
    private static final int PUBLISHED_BYTES = 96;
    private static final int KEY_CHARACTERS = 40;
    private static final Owner OWNER = new Owner("0123456789abcdefghijkl");

    @OnEachVersion
    @DisplayName("a DONE record whose stored key has 40 characters takes at most 96 bytes")
    void doneRecord(RedisVersion version) {
        try (RedisServer server = version.server().start();
                RedisDedupStore store =
                        Stores.builder().uri(server.uri()).namespace("d").build()) {
            for (Window window : List.of(Window.of(Duration.ofDays(7)), Window.forever())) {
                List<DedupKey> keys = keys(window);
                single(store, keys.get(0), window);
                batch(store, keys.subList(1, keys.size()), window);

                for (DedupKey key : keys) {
                    String stored = new String(new RecordKeys("d").key(key), StandardCharsets.UTF_8);
                    assertThat(stored).hasSize(KEY_CHARACTERS);
                    assertThat(server.command("OBJECT", "ENCODING", stored)).isEqualTo("int");
                    assertThat(Integer.parseInt(server.command("MEMORY", "USAGE", stored)))
                            .isLessThanOrEqualTo(PUBLISHED_BYTES);
                }
            }
        }
    }

    private static List<DedupKey> keys(Window window) {
        // d{}:15:6:orders/orders: are 23 of the 40.
        DedupScope scope = DedupScope.of("orders", "orders");
        String kind = window.isForever() ? "f" : "w";
        return IntStream.range(0, 50)
                .mapToObj(i -> scope.key("order-" + kind + String.format("%010d", i)))
                .toList();
    }

    private static void single(RedisDedupStore store, DedupKey key, Window window) {
        assertThat(Messages.only(store.claim(List.of(new ClaimRequest(key, OWNER, Messages.LEASE)))))
                .isInstanceOf(ClaimResult.Acquired.class);
        assertThat(Messages.only(store.complete(
                                List.of(new CompleteRequest(new Claim(key, OWNER, 1), window, null, false))))
                        .isApplied())
                .isTrue();
    }

    private static void batch(RedisDedupStore store, List<DedupKey> keys, Window window) {
        store.claim(keys.stream()
                .map(key -> new ClaimRequest(key, OWNER, Messages.LEASE))
                .toList());
        assertThat(store.complete(keys.stream()
                        .map(key -> new CompleteRequest(new Claim(key, OWNER, 1), window, null, false))
                        .toList()))
                .allMatch(answer -> answer.isApplied());
    }
}
