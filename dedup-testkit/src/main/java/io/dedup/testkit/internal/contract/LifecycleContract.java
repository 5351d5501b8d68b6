package io.dedup.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.store.DedupStore;
import io.dedup.testkit.fixture.StoreFixture;
import io.dedup.testkit.internal.scenario.CallForm;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachCallForm;
import io.dedup.testkit.internal.scenario.HeldClaim;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The store itself: its name, its settings, and closing it. */
public abstract class LifecycleContract extends ContractGroup {
    @Test
    @DisplayName("a store has a name and keeps attempts for a while, the same in every client")
    void nameAndRetention() {
        assertThat(store().name())
                .isNotBlank()
                .isEqualTo(fixture().secondInstance().name());
        assertThat(store().attemptRetention())
                .isGreaterThanOrEqualTo(Duration.ofSeconds(1))
                .isEqualTo(fixture().secondInstance().attemptRetention());
    }

    @Test
    @DisplayName("a running store answers a ping")
    void ping() {
        store().ping();
        fixture().secondInstance().ping();
    }

    @Test
    @DisplayName("closing twice has no further effect")
    void closeTwice() throws Exception {
        try (StoreFixture own = newFixture()) {
            own.store().close();
            own.store().close();
        }
    }

    @EachCallForm
    @DisplayName("after one client is closed, the others still have the records")
    void closeLeavesRecords(CallForm form) throws Exception {
        try (StoreFixture own = newFixture()) {
            DedupStore store = own.store();
            DedupStore second = own.secondInstance();
            KeyUnderTest subject =
                    new KeyUnderTest(store, second, form, newScope().key("order-1"));
            HeldClaim held = subject.acquire();
            if (store != second) { // a store that lives in one process takes its records with it
                store.close();
            }
            KeyUnderTest.assertApplied(subject.elsewhere().complete(held));
            subject.elsewhere().assertDone();
        }
    }
}
