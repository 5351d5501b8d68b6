package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.MemoryTransactions;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;

/** A deduplicator whose records are in transactions over a map. */
abstract class TransactionalTestBase extends DeduplicatorTestBase {

    static final String LEASED = "LEASED";

    final MemoryTransactions shared = new MemoryTransactions(store);
    final MemoryTransactions apart = new MemoryTransactions(null);
    MemoryTransactions records = shared;
    int runs;

    final Deduplicator in(DedupMode mode) {
        return in(mode, policy -> policy);
    }

    final Deduplicator in(DedupMode mode, UnaryOperator<DedupPolicy.Builder> more) {
        records = mode == DedupMode.LEASED_TRANSACTIONAL ? shared : apart;
        return deduplicator(store, policy -> more.apply(policy.mode(mode)), builder -> builder.transactions(records));
    }

    final String run(DedupContext context) {
        runs++;
        records.effect(context.key().messageId());
        return "ok";
    }

    @AfterEach
    void nothingIsLeftOpen() {
        assertThat(records.open()).isZero();
    }
}
