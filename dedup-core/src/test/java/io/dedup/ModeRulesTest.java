package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnStoreFailure;
import io.dedup.policy.Window;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.support.FaultyStore;
import io.dedup.support.MemoryTransactions;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class ModeRulesTest {
    private final FaultyStore store =
            new FaultyStore(new InMemoryDedupStore(InstantSource.system(), Duration.ofDays(7)));

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "LEASED")
    void anOutageMustNotRunUnguarded(DedupMode mode) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DedupPolicy.builder()
                        .mode(mode)
                        .onStoreFailure(OnStoreFailure.PROCESS)
                        .build())
                .withMessageContaining("onStoreFailure PROCESS")
                .withMessageContaining("RETRY or PAUSE");
    }

    @Test
    void deathsAreNotCountedByARollback() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DedupPolicy.builder()
                        .mode(DedupMode.TRANSACTIONAL)
                        .maxDeaths(3)
                        .build())
                .withMessageContaining("maxDeaths (3)");
        assertThat(DedupPolicy.builder()
                        .mode(DedupMode.TIERED)
                        .maxDeaths(3)
                        .build()
                        .maxDeaths())
                .isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(names = {"TRANSACTIONAL", "TIERED"})
    void theWindowOutlastsTheTransaction(DedupMode mode) {
        DedupPolicy.Builder policy =
                DedupPolicy.builder().mode(mode).window(Duration.ofMinutes(5)).maxProcessingTime(Duration.ofMinutes(5));

        assertThatIllegalArgumentException()
                .isThrownBy(policy::build)
                .withMessageContaining("window (PT5M) must be longer than maxProcessingTime (PT5M)");
        assertThat(policy.mode(DedupMode.LEASED_TRANSACTIONAL).build().mode())
                .isEqualTo(DedupMode.LEASED_TRANSACTIONAL);
        assertThat(policy.mode(mode).window(Window.forever()).build().mode()).isEqualTo(mode);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "LEASED")
    void transactionsMustBeGiven(DedupMode mode) {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        builder().topic("payments", policy -> policy.mode(mode)).build())
                .withMessageContaining("topic payments: mode " + mode + " needs transactions(");
    }

    @Test
    void claimsAreCompletedInTheirOwnTable() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder()
                        .transactions(new MemoryTransactions(null))
                        .defaults(policy(DedupMode.LEASED_TRANSACTIONAL))
                        .build())
                .withMessageContaining("defaults: mode LEASED_TRANSACTIONAL");
    }

    @Test
    void theTableIsNotInFrontOfItself() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder()
                        .transactions(new MemoryTransactions(store))
                        .defaults(policy(DedupMode.TIERED))
                        .build())
                .withMessageContaining("defaults: mode TIERED");
    }

    @Test
    void shadowModeWatchesWithoutTransactions() {
        DedupPolicy policy =
                DedupPolicy.builder().mode(DedupMode.TRANSACTIONAL).shadow(true).build();

        assertThat(policy.mode()).isEqualTo(DedupMode.LEASED);
        builder().defaults(policy).build().close();
    }

    private DeduplicatorBuilder builder() {
        return Deduplicators.builder(store).consumer("billing");
    }

    private static DedupPolicy policy(DedupMode mode) {
        return DedupPolicy.builder().mode(mode).build();
    }
}
