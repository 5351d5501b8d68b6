package io.dedup.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.policy.Window;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ZombieHolderTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Window WINDOW = Window.of(Duration.ofDays(1));
    private static final DedupKey KEY = DedupScope.of("group", "topic").key("a");

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-03-01T08:30:00Z"));
    private final InMemoryDedupStore store =
            new InMemoryDedupStore(now::get, InMemoryDedupStore.DEFAULT_ATTEMPT_RETENTION);

    @Test
    @DisplayName("holds the message, and changes nothing once somebody else has taken over")
    void zombie() {
        ZombieHolder zombie = ZombieHolder.claim(store, KEY, LEASE);
        assertThatThrownBy(() -> ZombieHolder.claim(store, KEY, LEASE)).isInstanceOf(IllegalStateException.class);

        now.updateAndGet(time -> time.plus(LEASE));
        ZombieHolder successor = ZombieHolder.claim(store, KEY, LEASE);
        StoredRecord taken = store.find(KEY).orElseThrow();

        assertThat(zombie.complete(WINDOW)).isEqualTo(WriteResult.leaseLost());
        assertThat(zombie.release()).isEqualTo(WriteResult.leaseLost());
        assertThat(zombie.renew(LEASE)).isEqualTo(WriteResult.leaseLost());
        assertThat(store.find(KEY)).contains(taken);
        assertThat(taken.owner()).isEqualTo(successor.claim().owner());
    }

    @Test
    @DisplayName("comes back in time")
    void back() {
        ZombieHolder holder = ZombieHolder.claim(store, KEY, LEASE);
        assertThat(holder.renew(LEASE)).isEqualTo(WriteResult.applied());
        assertThat(holder.release()).isEqualTo(WriteResult.applied());
        assertThat(ZombieHolder.claim(store, KEY, LEASE).complete(WINDOW)).isEqualTo(WriteResult.applied());
    }
}
