package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dedup.policy.Window;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.operator.StuckQuery;
import io.dedup.store.operator.StuckRecord;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StuckQueryTest {
    private static final DedupScope SCOPE = DedupScope.of("billing", "orders");

    @Test
    void agesAndLimitsHaveBounds() {
        for (Duration wrong : new Duration[] {Duration.ofNanos(-1), Window.MAX.plusNanos(1)}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new StuckQuery(null, wrong, 1))
                    .withMessage("olderThan must be from 0 to 36500 days, but is " + wrong);
        }
        for (int wrong : new int[] {0, -1, 1_001}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new StuckQuery(SCOPE, Duration.ZERO, wrong))
                    .withMessage("limit must be from 1 to 1000, but is " + wrong);
        }
    }

    @Test
    void aRecordKnowsItsKey() {
        StuckRecord stuck = new StuckRecord(SCOPE.text(), "a", record(State.RELEASED));
        assertThat(stuck.key(SCOPE)).isEqualTo(SCOPE.key("a"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> stuck.key(DedupScope.of("billing", "payments")))
                .withMessageContaining("another scope");
        assertThatIllegalArgumentException().isThrownBy(() -> new StuckRecord("s", "a", record(State.DONE)));
    }

    private static StoredRecord record(State state) {
        return new StoredRecord(state, 1, 0, 1, null, Duration.ZERO, null, null, null, null);
    }
}
