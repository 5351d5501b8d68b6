package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.DedupAdapter;
import io.dedup.policy.DedupMode;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.MemoryTransactions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What ends a pause: that which the deliveries were deferred for. */
class PingTest extends DeduplicatorTestBase {
    private final MemoryTransactions records = new MemoryTransactions(null);
    private final Deduplicator dedup = deduplicator(
            store,
            policy -> policy,
            builder -> builder.topic(TOPIC, policy -> policy.mode(DedupMode.TIERED))
                    .transactions(records));

    private String run(DedupContext context) {
        records.effect(context.key().messageId());
        return "ok";
    }

    private DedupOutcome<String> leased(String id) {
        return dedup.execute(dedup.key("leased", id), context -> "ok");
    }

    @Test
    @DisplayName("what was paused for the database goes on when that answers, whatever the front does")
    void pingsWhatKeepsDeliveriesWaiting() {
        records.down();
        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Deferred.class);
        assertThatThrownBy(() -> DedupAdapter.of(dedup).ping()).isInstanceOf(DedupStoreException.class);

        records.failing("begin", null);
        store.down();
        store.pingFails(true);

        DedupAdapter.of(dedup).ping();
        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Handled.class);
        DedupAdapter.of(dedup).ping(); // for what was paused together with a delivery that has gone through since
    }

    @Test
    @DisplayName("a store that has answered since keeps nobody waiting for it: the database is asked")
    void theStoreHasAnswered() {
        store.down();
        assertThat(leased("a")).isInstanceOf(Deferred.class);
        store.pingFails(true);
        assertThatThrownBy(() -> DedupAdapter.of(dedup).ping()).isInstanceOf(DedupStoreException.class);

        store.heal();
        assertThat(leased("a")).isInstanceOf(Handled.class);
        store.pingFails(true);
        DedupAdapter.of(dedup).ping();

        records.down();
        assertThatThrownBy(() -> DedupAdapter.of(dedup).ping()).isInstanceOf(DedupStoreException.class);
    }
}
