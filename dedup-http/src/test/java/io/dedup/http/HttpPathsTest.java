package io.dedup.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.dedup.DedupKey;
import io.dedup.Deduplicator;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupMode;
import io.dedup.store.DedupStore;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.store.transaction.TransactionalRecords;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

class HttpPathsTest {
    /** Never used: only its being there is looked at. */
    private static final class Transactions implements TransactionalRecords {
        @Override
        public String name() {
            return "unused";
        }

        @Override
        public boolean holdsClaimsOf(DedupStore store) {
            return true;
        }

        @Override
        public OperatorResult forget(DedupKey key, LiveLease liveLease) {
            throw new IllegalStateException("unused");
        }

        @Override
        public long concurrentRecords() {
            return 0;
        }

        @Override
        public RecordTransaction begin(Duration timeout) {
            throw new IllegalStateException("unused");
        }
    }

    private static HttpPathSettings.Builder settings() {
        return HttpPathSettings.builder("/payments/{id}").scopeBy("none");
    }

    @Test
    @DisplayName("the pattern is the topic, unless another one is named")
    void topic() {
        assertThat(settings().build().pattern()).isEqualTo("/payments/{id}");
        assertThat(settings().build().topic()).isEqualTo("/payments/{id}");
        assertThat(settings().topic("payments").build().topic()).isEqualTo("payments");
    }

    @Test
    @DisplayName("what cannot work is refused")
    void wrong() {
        assertThatIllegalArgumentException().isThrownBy(() -> HttpPathSettings.builder("/a/**/b{"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings().scopeBy("cookie:a"))
                .withMessageContaining("must be principal");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings().maxResponseSize(DataSize.ofMegabytes(9)))
                .withMessageContaining("must be between 0 and 8MB");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings().maxRequestSize(DataSize.ofBytes(-1)))
                .withMessageContaining("must be between 0 and 512MB");
        assertThatIllegalStateException()
                .isThrownBy(() -> HttpPathSettings.builder("/payments").build())
                .withMessageContaining("scopeBy must be set");
    }

    @Test
    @DisplayName("a topic in another mode than LEASED is refused: no transaction spans a request and its response")
    void mode() {
        try (Deduplicator deduplicator = Deduplicators.builder(new InMemoryDedupStore())
                .consumer("api")
                .transactions(new Transactions())
                .topic("/payments/{id}", policy -> policy.mode(DedupMode.LEASED_TRANSACTIONAL))
                .build()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> HttpPaths.builder().path(settings().build(), deduplicator))
                    .withMessageContaining("LEASED only");
        }
    }
}
